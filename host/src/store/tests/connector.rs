//! Requests to object stores that fail: which of them `object_store` sends again.

use crate::store::connector::Connector;
use bytes::Bytes;
use object_store::client::{HttpConnector, HttpError, HttpErrorKind, HttpRequestBody};
use object_store::{ClientOptions, PutPayload};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// The URL of a server, which reads the head of each request and leaves the rest to `answer`.
fn server(answer: fn(&str, BufReader<TcpStream>)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.expect("a connection"));
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).expect("a head") > 0 {}
            answer(&head, stream);
        }
    });
    url
}

/// The answer's body, of a client that waits a second.
async fn ask(url: &str, http: bool, body: HttpRequestBody) -> Result<Bytes, HttpError> {
    let time = Duration::from_secs(1);
    let connector = Connector {
        connect: time,
        whole: time,
    };
    let options = ClientOptions::new().with_allow_http(http);
    let client = connector.connect(&options).expect("a client");
    let request = hyper::Request::put(url).body(body).expect("a request");
    client.execute(request).await?.into_body().bytes().await
}

#[tokio::test]
async fn a_request_without_an_answer_is_of_the_kind_that_tells_whether_it_is_sent_again() {
    let nobody = TcpListener::bind("127.0.0.1:0").expect("bind");
    let refused = format!("http://{}/", nobody.local_addr().expect("an address"));
    drop(nobody);
    let closes = server(|_, _| {});
    let waits = server(|_, mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let half = server(|_, stream| {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf";
        stream.into_inner().write_all(answer).expect("write");
    });
    for (url, http, kind) in [
        (&refused, true, HttpErrorKind::Connect),
        (&closes, true, HttpErrorKind::Request),
        (&waits, true, HttpErrorKind::Timeout),
        (&half, true, HttpErrorKind::Interrupted),
        // A token is asked for over TLS alone.
        (&closes, false, HttpErrorKind::Unknown),
    ] {
        let error = ask(url, http, HttpRequestBody::empty()).await;
        let error = error.expect_err("no answer");
        assert_eq!(error.kind(), kind, "{error:?}");
        let source = error.source().and_then(|source| source.downcast_ref());
        let source: &reqwest::Error = source.expect("a failure of the client");
        assert!(source.url().is_none(), "a URL may contain a signature");
    }
}

#[tokio::test]
async fn a_body_arrives_whole_also_in_parts_and_where_the_service_redirects() {
    let url = server(|head, mut stream| {
        let mut body = [0; 6];
        stream.read_exact(&mut body).expect("a body");
        let answer = match head.starts_with("PUT / ") {
            true => {
                "HTTP/1.1 307 Elsewhere\r\nlocation: /there\r\nconnection: close\r\n\r\n".to_owned()
            }
            false => format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{head}{}",
                String::from_utf8_lossy(&body)
            ),
        };
        stream
            .into_inner()
            .write_all(answer.as_bytes())
            .expect("write");
    });
    let parts: PutPayload = [Bytes::from("par"), Bytes::from("ts!")]
        .into_iter()
        .collect();
    for (url, body, end) in [
        (format!("{url}there"), parts.into(), "parts!"),
        (url, HttpRequestBody::from("bytes!".to_owned()), "bytes!"),
    ] {
        let answer = ask(&url, true, body).await.expect("an answer");
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.ends_with(end), "{answer}");
        assert!(answer.contains("content-length: 6\r\n"), "{answer}");
        assert!(answer.contains("user-agent: tamis/"), "{answer}");
    }
}
