//! Providers that cannot be reached as they should.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mainstay_testkit::FakeProvider;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{ServerConfig, crypto, pki_types};

use crate::row::Place;

/// How much a slow reader takes at once, in bytes, and how long it waits before it takes more.
const SIP: usize = 64 * 1024;
const BETWEEN_SIPS: Duration = Duration::from_millis(5);

/// The base URL of a provider at that place. What can be reached in the end is answered by `behind`.
pub async fn base_url(place: Place, behind: &FakeProvider) -> String {
    match place {
        Place::Nobody => {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            // The port is free again when the listener is dropped.
            format!("http://{}/v1", listener.local_addr().unwrap())
        }
        // Longer than a label may be: no resolver has to be asked, and none can know it.
        Place::NoName => format!("https://{}.invalid/v1", "no-such-name-".repeat(6)),
        Place::PlainForTls => format!("https://{}/v1", serve(plain).await),
        Place::Untrusted => {
            let acceptor = unknown_certificate();
            format!(
                "https://{}/v1",
                serve(move |socket| {
                    let acceptor = acceptor.clone();
                    async move { drop(acceptor.accept(socket).await) }
                })
                .await
            )
        }
        Place::StopsReading => format!("http://{}/v1", narrow(stop_reading)),
        Place::ReadsSlowly => {
            let address = behind.address();
            format!("http://{}/v1", narrow(move |socket| read_slowly(socket, address)))
        }
    }
}

async fn serve<F>(answer: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    accepting(TcpListener::bind("127.0.0.1:0").await.unwrap(), answer)
}

/// A listener whose connections take in little at a time.
fn narrow<F>(answer: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(32 * 1024).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    accepting(socket.listen(1024).unwrap(), answer)
}

fn accepting<F>(listener: TcpListener, answer: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(answer(socket));
        }
    });
    address
}

/// What a web server says to whoever begins a handshake at its plain port.
async fn plain(mut socket: TcpStream) {
    let mut begun = [0; 1024];
    if socket.read(&mut begun).await.is_ok() {
        let body = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        drop(socket.write_all(body).await);
    }
}

fn unknown_certificate() -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
    let key = pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Takes the beginning of the request and nothing more, until the peer leaves.
async fn stop_reading(mut socket: TcpStream) {
    let mut begun = [0; 512];
    drop(socket.read(&mut begun).await);
    tokio::time::sleep(Duration::from_mins(1)).await;
}

/// Passes the request on in sips, and the answer back as it comes.
async fn read_slowly(socket: TcpStream, behind: SocketAddr) {
    let (mut from_peer, mut to_peer) = socket.into_split();
    let (mut from_behind, mut to_behind) = TcpStream::connect(behind).await.unwrap().into_split();
    let up = async {
        let mut sip = vec![0; SIP];
        while let Ok(taken @ 1..) = from_peer.read(&mut sip).await {
            if to_behind.write_all(&sip[..taken]).await.is_err() {
                return;
            }
            tokio::time::sleep(BETWEEN_SIPS).await;
        }
    };
    let down = tokio::io::copy(&mut from_behind, &mut to_peer);
    tokio::select! {
        () = up => {}
        _ = down => {}
    }
}
