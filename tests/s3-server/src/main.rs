//! An S3-compatible server on loopback. A bucket is a folder below `ROOT`, an object a file.
//!
//! ```text
//! s3-server --port 9000 --access-key NAME --secret-key KEY ROOT
//! ```

use std::net::Ipv4Addr;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;

#[derive(Parser)]
struct Arguments {
    #[arg(long)]
    port: u16,
    #[arg(long)]
    access_key: String,
    #[arg(long)]
    secret_key: String,
    root: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let files = FileSystem::new(&arguments.root).map_err(|error| anyhow!("{error:?}"))?;
    let mut service = S3ServiceBuilder::new(files);
    service.set_auth(SimpleAuth::from_single(
        arguments.access_key,
        arguments.secret_key,
    ));
    let service = service.build();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port))
        .await
        .with_context(|| format!("cannot listen at port {}", arguments.port))?;
    loop {
        let (socket, _) = listener
            .accept()
            .await
            .context("cannot accept a connection")?;
        let connection =
            http1::Builder::new().serve_connection(TokioIo::new(socket), service.clone());
        // A client that goes away has its own error.
        tokio::spawn(async move { drop(connection.await) });
    }
}
