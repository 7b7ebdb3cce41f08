//! The services that replicas share. Each listens on a port of its own on loopback, and can be killed, and started
//! again with what it has stored.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::{Folder, Program, Running, built_program};

/// Longest run of a service: longer than the longest test.
const LIMIT: Duration = Duration::from_secs(3600);

/// How long a service may take to listen.
const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// The credentials of the object store.
pub const ACCESS_KEY: &str = "the-access-key";
pub const SECRET_KEY: &str = "the-secret-access-key";

/// A program of the system, of PostgreSQL's folders, or of `target/tools`. None: it is not installed, and the test
/// says so.
pub fn program(name: &str, install: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.push("/usr/sbin".into());
    let found = folders.into_iter().map(|folder| folder.join(name));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: {name} is not installed ({install})");
    }
    found
}

/// A port that is free now.
pub fn free_port() -> u16 {
    /// Below the ports that the system gives to connections, which could take one before the program listens.
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..COUNT {
        let place = std::process::id().wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
        let port = u16::try_from(FIRST + place).expect("a port");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

/// A certificate for 127.0.0.1, its key, and the authority that signed it.
pub struct Certificates {
    pub authority: PathBuf,
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Certificates {
    /// Makes new ones. None: openssl is not installed.
    pub fn make(folder: &Folder, name: &str) -> Option<Certificates> {
        let openssl = program("openssl", "Debian: apt-get install openssl")?;
        let path = |ending: &str| folder.path().join(format!("{name}{ending}"));
        let run = |line: &str| {
            let words = line.split_whitespace().map(str::to_owned);
            let line: Vec<String> = std::iter::once(openssl.to_str().expect("text").to_owned())
                .chain(words)
                .collect();
            Program::new(&line, folder.path()).run("").succeeded();
        };
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
        run(&format!(
            "req -x509 {key} -keyout {name}-ca.key -out {name}-ca.pem -subj /CN={name}-authority"
        ));
        run(&format!(
            "req -x509 {key} -keyout {name}.key -out {name}.pem -subj /CN={name} -CA {name}-ca.pem -CAkey {name}-ca.key -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE"
        ));
        Some(Certificates {
            authority: path("-ca.pem"),
            certificate: path(".pem"),
            key: path(".key"),
        })
    }

    /// What a program needs to trust the authority, and no other.
    pub fn environment(&self) -> (String, String) {
        let authority = self.authority.to_str().expect("text").to_owned();
        ("SSL_CERT_FILE".to_owned(), authority)
    }
}

/// A service that runs.
pub struct Service {
    line: Vec<String>,
    folder: PathBuf,
    port: u16,
    running: Option<Running>,
}

impl Service {
    fn start(line: Vec<String>, folder: &Path, port: u16) -> Service {
        let mut service = Service {
            line,
            folder: folder.to_owned(),
            port,
            running: None,
        };
        service.start_again();
        service
    }

    /// Starts it again at its port.
    pub fn start_again(&mut self) {
        let running = Program::new(&self.line, &self.folder).limit(LIMIT).start();
        self.running = Some(running);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            if begun.elapsed() > STARTS_WITHIN {
                let running = self.running.as_mut().expect("it runs");
                running.fail("it does not listen");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.kill();
        }
    }

    /// Stops it: it accepts connections, and answers nothing.
    pub fn stop(&mut self) {
        self.running.as_mut().expect("it runs").signal(Signal::STOP);
    }

    pub fn go_on(&mut self) {
        self.running.as_mut().expect("it runs").signal(Signal::CONT);
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

/// An S3-compatible server with one bucket, `tamis`.
pub struct ObjectStore {
    pub service: Service,
    /// The files of the bucket.
    pub bucket: PathBuf,
}

impl ObjectStore {
    pub fn start(folder: &Folder) -> ObjectStore {
        let program = built_program("s3-server");
        let root = folder.path().join("objects");
        let bucket = root.join("tamis");
        std::fs::create_dir_all(&bucket).expect("make the bucket");
        let port = free_port();
        let line = [
            program.to_str().expect("text"),
            "--port",
            &port.to_string(),
            "--access-key",
            ACCESS_KEY,
            "--secret-key",
            SECRET_KEY,
            root.to_str().expect("text"),
        ];
        let line = line.map(str::to_owned).to_vec();
        ObjectStore {
            service: Service::start(line, folder.path(), port),
            bucket,
        }
    }

    pub fn environment(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://127.0.0.1:{}", self.service.port());
        [
            ("AWS_ENDPOINT_URL", &*endpoint),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    /// All objects of originals: their paths below the bucket, and their bytes.
    pub fn objects(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.bucket.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("list").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(bytes) = std::fs::read(&path)
                    && bytes.starts_with(b"tamis ")
                {
                    found.push((path, bytes));
                }
            }
        }
        found
    }
}

/// Redis, which writes each change to its disk before it answers.
pub struct Redis {
    pub service: Service,
    has_tls: bool,
}

impl Redis {
    pub const PASSWORD: &str = "the-password-of-redis";

    pub fn start(folder: &Folder) -> Option<Redis> {
        Redis::with(folder, None)
    }

    /// With certificates, it takes no connection without TLS.
    pub fn with(folder: &Folder, certificates: Option<&Certificates>) -> Option<Redis> {
        let program = program("redis-server", "Debian: apt-get install redis-server")?;
        let port = free_port();
        let port_text = port.to_string();
        let listening = match certificates {
            None => vec!["--port", &port_text],
            Some(they) => vec![
                "--port",
                "0",
                "--tls-port",
                &port_text,
                "--tls-auth-clients",
                "no",
                "--tls-cert-file",
                they.certificate.to_str().expect("text"),
                "--tls-key-file",
                they.key.to_str().expect("text"),
                "--tls-ca-cert-file",
                they.authority.to_str().expect("text"),
            ],
        };
        let line = [
            program.to_str().expect("text"),
            "--bind",
            "127.0.0.1",
            "--dir",
            folder.path().to_str().expect("text"),
            "--requirepass",
            Redis::PASSWORD,
            "--appendonly",
            "yes",
            // What Redis answered is written, so a killed Redis forgets nothing. Nothing waits for the disk of the
            // test: only a machine that loses its power would.
            "--appendfsync",
            "no",
            "--save",
            "",
        ];
        let line = line.iter().chain(&listening).map(|word| (*word).to_owned());
        Some(Redis {
            service: Service::start(line.collect(), folder.path(), port),
            has_tls: certificates.is_some(),
        })
    }

    pub fn environment(&self) -> Vec<(String, String)> {
        let (password, port) = (Redis::PASSWORD, self.service.port());
        let scheme = if self.has_tls { "rediss" } else { "redis" };
        let url = format!("{scheme}://:{password}@127.0.0.1:{port}/0");
        vec![("TAMIS_REDIS_URL".to_owned(), url)]
    }
}

/// HAProxy with this configuration, which listens at `port`.
pub fn haproxy(folder: &Folder, configuration: &str, port: u16) -> Option<Service> {
    let program = program("haproxy", "Debian: apt-get install haproxy")?;
    let file = folder.write("haproxy.cfg", configuration);
    let line = [
        program.to_str().expect("text"),
        "-f",
        file.to_str().expect("text"),
        "-db",
    ];
    Some(Service::start(
        line.map(str::to_owned).to_vec(),
        folder.path(),
        port,
    ))
}

/// PostgreSQL of the system, as a user who is not root.
pub struct Postgres {
    pub service: Service,
    has_tls: bool,
}

impl Postgres {
    pub const PASSWORD: &str = "the-password-of-postgres";

    pub fn start(folder: &Folder) -> Option<Postgres> {
        Postgres::with(folder, None)
    }

    /// With certificates, it takes no connection without TLS.
    pub fn with(folder: &Folder, certificates: Option<&Certificates>) -> Option<Postgres> {
        let install = "Debian: apt-get install postgresql";
        let found = std::fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .flatten();
        let mut folders: Vec<PathBuf> = found.map(|entry| entry.path().join("bin")).collect();
        folders.sort();
        let Some(programs) = folders
            .pop()
            .filter(|folder| folder.join("initdb").is_file())
        else {
            eprintln!("SKIPPED: PostgreSQL is not installed ({install})");
            return None;
        };
        let port = free_port();
        let data = folder.path().join("postgres");
        let password = folder.write("postgres-password", Postgres::PASSWORD);
        // It refuses to run as root, so root runs it as `nobody`, who must get to its folder.
        let is_root = rustix::process::getuid().is_root();
        let as_user: &[&str] = match is_root {
            true => &[
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "--",
            ],
            false => &[],
        };
        if is_root {
            use std::os::unix::fs::{PermissionsExt, chown};
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(folder.path(), open).expect("open the folder");
            std::fs::create_dir(&data).expect("make the folder");
            chown(&data, Some(65534), Some(65534)).expect("give the folder away");
        }
        let text = |path: &Path| path.to_str().expect("text").to_owned();
        let words = |program: &str, more: &[&str]| {
            let mut line: Vec<String> = as_user.iter().map(|word| (*word).to_owned()).collect();
            line.push(text(&programs.join(program)));
            line.extend(["-D".to_owned(), text(&data)]);
            line.extend(more.iter().map(|word| (*word).to_owned()));
            line
        };
        let initialize = words(
            "initdb",
            &[
                "-U",
                "tamis",
                "-A",
                "scram-sha-256",
                "--pwfile",
                &text(&password),
                "--no-sync",
            ],
        );
        Program::new(&initialize, folder.path()).run("").succeeded();
        let mut settings = vec![
            "listen_addresses=127.0.0.1".to_owned(),
            "unix_socket_directories=".to_owned(),
            "fsync=off".to_owned(),
        ];
        if let Some(they) = certificates {
            // It takes only a key that belongs to its user.
            let key = data.join("server.key");
            std::fs::copy(&they.key, &key).expect("copy the key");
            std::fs::write(
                data.join("pg_hba.conf"),
                "hostssl all all 127.0.0.1/32 scram-sha-256\n",
            )
            .expect("write who may connect");
            use std::os::unix::fs::{PermissionsExt, chown};
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&key, private).expect("make the key private");
            if is_root {
                chown(&key, Some(65534), Some(65534)).expect("give the key away");
            }
            settings.push("ssl=on".to_owned());
            settings.push(format!("ssl_cert_file={}", text(&they.certificate)));
            settings.push(format!("ssl_key_file={}", text(&key)));
        }
        let port_text = port.to_string();
        let mut more = vec!["-p", &port_text];
        more.extend(settings.iter().flat_map(|setting| ["-c", setting]));
        let line = words("postgres", &more);
        Some(Postgres {
            service: Service::start(line, folder.path(), port),
            has_tls: certificates.is_some(),
        })
    }

    pub fn url(&self) -> String {
        let (password, port) = (Postgres::PASSWORD, self.service.port());
        let mode = if self.has_tls { "?sslmode=require" } else { "" };
        format!("postgres://tamis:{password}@127.0.0.1:{port}/postgres{mode}")
    }
}
