//! The messages on standard input and output, one in each line. A line that is no message is answered here: the transport
//! of the SDK ignores it, and a client would wait for the reply without end.

use std::future::Future;
use std::io;
use std::pin::Pin;

use editctl::show::OutputStyle;
use editd_proto::{ErrorCode, RequestError, limits};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage, ServerResult};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::error::Category;
use tokio::io::{AsyncBufReadExt, BufReader, Empty, Stdin, Stdout};

use crate::reply::ToolReply;
use crate::skim::{MessageSkim, half_of_a_pair};

/// Maximum size of a line in bytes. A text that fits into a frame to the daemon is at most twice as long in JSON, unless
/// it has many control characters.
const LINE: usize = 2 * limits::FRAME;

/// The mark that some programs write before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The sending of an answer.
type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Standard input and output.
pub(crate) struct LineTransport {
    input: BufReader<Stdin>,
    /// The line so far.
    line: Vec<u8>,
    /// The known facts about the line if it is too long.
    too_long: Option<MessageSkim>,
    /// Sends messages, and receives none.
    output: AsyncRwTransport<RoleServer, Empty, Stdout>,
    /// The answer to a line that is no message. The next line is read when it was sent.
    answer: Option<Sending>,
    style: OutputStyle,
}

/// The content of a line.
enum LineContent {
    Message(Box<ClientJsonRpcMessage>),
    Wrong(Box<ServerJsonRpcMessage>),
    Nothing,
}

impl LineTransport {
    /// Opens standard input and output. The style is that of refusals.
    pub(crate) fn open(style: OutputStyle) -> Self {
        let (input, output) = rmcp::transport::stdio();
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            too_long: None,
            output: AsyncRwTransport::new(tokio::io::empty(), output),
            answer: None,
            style,
        }
    }

    /// Reads to the end of a line; `None` at the end of the input. If the call is cancelled, the next one continues.
    async fn read_line(&mut self) -> Option<()> {
        loop {
            let bytes = self.input.fill_buf().await.ok()?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).filter(|_| !bytes.is_empty())?;
            match &mut self.too_long {
                Some(skim) => skim.feed(part),
                None if self.line.len() + part.len() > LINE => {
                    let skim = self.too_long.insert(MessageSkim::default());
                    skim.feed(&std::mem::take(&mut self.line));
                    skim.feed(part);
                }
                None => self.line.extend_from_slice(part),
            }
            let taken = part.len() + usize::from(end.is_some());
            self.input.consume(taken);
            if end.is_some() {
                return Some(());
            }
        }
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answer) = &mut self.answer {
                let sent = answer.await;
                self.answer = None;
                sent.ok()?;
            }
            self.read_line().await?;
            let line = std::mem::take(&mut self.line);
            let content = match self.too_long.take() {
                Some(skim) => LineContent::Wrong(Box::new(too_long(skim, &self.style))),
                None => parsed(&line),
            };
            match content {
                LineContent::Message(message) => return Some(*message),
                LineContent::Wrong(answer) => self.answer = Some(Box::pin(self.output.send(*answer))),
                LineContent::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await
    }
}

fn parsed(line: &[u8]) -> LineContent {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return LineContent::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(message) => LineContent::Message(Box::new(message)),
        Err(error) => wrong(line, &error),
    }
}

/// Returns the answer to a line that is no message.
fn wrong(line: &[u8], error: &serde_json::Error) -> LineContent {
    let mut skim = MessageSkim::default();
    skim.feed(line);
    let is_json = matches!(error.classify(), Category::Data | Category::Io);
    if is_json && skim.method.is_some() && !skim.has_id {
        // A notification has no reply.
        return LineContent::Nothing;
    }
    let error = match half_of_a_pair(line) {
        _ if is_json && line.starts_with(b"[") => {
            ErrorData::invalid_request("the line is a list: send each message in a line of its own", None)
        }
        _ if is_json => ErrorData::invalid_request(
            "the line is no message of JSON-RPC 2.0: a request has `\"jsonrpc\": \"2.0\"`, a `method`, and an `id` that \
             is a number or a text",
            None,
        ),
        Some(half) => ErrorData::invalid_params(
            format!("the text has half of a surrogate pair ({half}); send whole characters"),
            None,
        ),
        None => ErrorData::parse_error(format!("the line is not JSON that can be read: {error}"), None),
    };
    // The id of a reply is one of this server.
    let id = skim.id.filter(|_| !skim.is_reply);
    LineContent::Wrong(Box::new(ServerJsonRpcMessage::error(error, id)))
}

/// Returns the answer to a line that is too long.
fn too_long(skim: MessageSkim, style: &OutputStyle) -> ServerJsonRpcMessage {
    let id = skim.id.filter(|_| !skim.is_reply);
    match (skim.method.as_deref(), id) {
        (Some("tools/call"), Some(id)) => {
            let refusal = RequestError {
                limit: Some(LINE as u64),
                ..RequestError::new(
                    ErrorCode::TooLarge,
                    format!("the call has more than {LINE} bytes; split it into several calls"),
                )
            };
            let mut result = ToolReply::refused(&refusal, style).result();
            // The earlier revisions do not have the field, and in the later one it may be left out.
            result.result_type = None;
            ServerJsonRpcMessage::response(ServerResult::CallToolResult(result), id)
        }
        (_, id) => {
            let message = format!("the line has more than {LINE} bytes");
            ServerJsonRpcMessage::error(ErrorData::invalid_request(message, None), id)
        }
    }
}
