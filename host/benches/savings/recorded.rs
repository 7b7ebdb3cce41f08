//! Recorded results: files that are a `CallToolResult`, or a call with its result
//! (`{"tool": …, "arguments": …, "result": …}`).

use std::path::{Path, PathBuf};

use serde_json::Value;

/// One recorded result.
pub struct Recorded {
    /// Its folder and file.
    pub name: String,
    pub tool: String,
    /// As JSON.
    pub arguments: String,
    /// The result, as JSON.
    pub result: Vec<u8>,
}

/// All of a folder and of those in it, in the order of their names.
pub fn all(folder: &Path) -> Vec<Recorded> {
    let mut files = Vec::new();
    find(folder, &mut files);
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Recorded {
    let bytes = std::fs::read(file).expect("a result");
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    let name = format!("{}/{stem}", folder.to_string_lossy());
    let value: Value = serde_json::from_slice(&bytes).expect("a result is JSON");
    match (
        value.get("tool").and_then(Value::as_str),
        value.get("result"),
    ) {
        (Some(tool), Some(result)) => Recorded {
            name,
            tool: tool.to_owned(),
            arguments: value["arguments"].to_string(),
            result: result.to_string().into_bytes(),
        },
        _ => Recorded {
            name,
            tool: stem.into_owned(),
            arguments: "{}".to_owned(),
            result: bytes,
        },
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|it| it == "json")
            && path.file_name().is_some_and(|it| it != "_tools_list.json")
        {
            files.push(path);
        }
    }
}
