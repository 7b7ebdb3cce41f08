//! The resources: their lists, and their content.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::content::PNG;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
/// The text before and after the id in the URIs of the template.
const TEMPLATE: (&str, &str) = ("test://template/", "/data");

pub fn list() -> Vec<Resource> {
    let resource = |uri, name, about, mime_type| {
        Resource::new(uri, name)
            .with_description(about)
            .with_mime_type(mime_type)
    };
    vec![
        resource(TEXT, "static text", "A text.", "text/plain"),
        resource(BINARY, "static binary", "An image.", "image/png"),
        resource(
            WATCHED,
            "watched resource",
            "A text to subscribe to.",
            "text/plain",
        ),
    ]
}

pub fn templates() -> Vec<ResourceTemplate> {
    let (before, after) = TEMPLATE;
    vec![
        ResourceTemplate::new(format!("{before}{{id}}{after}"), "template")
            .with_description("What there is about an id.")
            .with_mime_type("application/json"),
    ]
}

pub fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (before, after) = TEMPLATE;
    let contents = match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri),
        BINARY => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        WATCHED => ResourceContents::text("This is the content of the watched resource.", uri),
        _ => {
            let id = uri.strip_prefix(before);
            let Some(id) = id.and_then(|rest| rest.strip_suffix(after)) else {
                // The SDK gives this the code of the protocol in use.
                let message = format!("no resource has the URI {uri}");
                return Err(ErrorData::resource_not_found(
                    message,
                    Some(json!({ "uri": uri })),
                ));
            };
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
