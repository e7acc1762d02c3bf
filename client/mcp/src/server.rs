//! The server: lists the tools and passes calls to them. Knows nothing about editing.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
    InitializeRequestParams, InitializeResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use rmcp::{ServerHandler, model::Tool};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::context::{CallContext, tell};
use crate::resource;
use crate::tools::{ToolCall, ToolEntry, ToolSet};

/// The time limit for the client's list of roots.
const ROOTS_PATIENCE: Duration = Duration::from_secs(5);

/// The instructions that a runtime gives the model together with the tools.
const INSTRUCTIONS: &str = "Read and edit files with these tools: edits are checked against what you read, merged with \
                            the changes of others, applied to all files or none, and can be undone.";

/// The server of one process.
#[derive(Clone)]
pub(crate) struct EditServer {
    context: Arc<CallContext>,
    set: &'static ToolSet,
    tools: Vec<&'static ToolEntry>,
    /// Set once the client was asked for its roots, or cannot be asked.
    asked: Arc<OnceCell<()>>,
}

impl EditServer {
    /// Creates a server for the tools of a set with these names; for all if there are none.
    pub(crate) fn new(context: CallContext, set: &'static ToolSet, names: &[String]) -> Self {
        let offered = |tool: &&ToolEntry| names.is_empty() || names.iter().any(|name| name == tool.name);
        let tools = set.tools.iter().filter(offered).collect();
        Self { context: Arc::new(context), set, tools, asked: Arc::default() }
    }

    /// Asks the client for its roots, if it has some. Without an answer in time, paths belong to the usual workspace.
    #[expect(deprecated, reason = "the stateless revision has no roots; clients of the earlier ones have")]
    async fn ask_for_roots(&self, peer: &Peer<RoleServer>) {
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !has_roots {
            return;
        }
        match tokio::time::timeout(ROOTS_PATIENCE, peer.list_roots()).await {
            Ok(Ok(found)) => self.context.roots.announce(found.roots.iter().map(|root| root.uri.as_str())),
            Ok(Err(error)) => tell(&format!("the client does not report its roots: {error}")),
            Err(_) => tell("the client does not report its roots in time"),
        }
    }
}

impl ServerHandler for EditServer {
    fn get_info(&self) -> ServerConfig {
        let mut info =
            ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build());
        info.server_info = Implementation::new("editctl", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.context.set_client(&request.client_info.name);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer).await;
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![resource::describe()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != resource::URI {
            let message = format!("there is no resource {}; there is {}", request.uri, resource::URI);
            return Err(ErrorData::resource_not_found(message, None));
        }
        self.asked.get_or_init(|| self.ask_for_roots(&context.peer)).await;
        let call = self.context.clone();
        let read = tokio::task::spawn_blocking(move || resource::read(&call)).await;
        let read = read.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let contents = read.map_err(|refusal| ErrorData::internal_error(refusal.0.message, None))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    /// Refuses a request that has no type: its method is unknown, or its parameters do not fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let reason = match (request.method.as_str(), &request.params) {
            ("tools/call" | "resources/read", None) => "params is missing".to_owned(),
            ("tools/call", Some(Value::Object(params)))
                if params.get("arguments").is_some_and(Value::is_string) =>
            {
                "params.arguments must be an object, not JSON in a text".to_owned()
            }
            ("tools/call", _) => reason(request.params_as::<CallToolRequestParams>()),
            ("resources/read", _) => reason(request.params_as::<ReadResourceRequestParams>()),
            (method, _) => {
                let message = format!("there is no method {method:?}");
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        Err(ErrorData::invalid_params(format!("{}: {reason}", request.method), None))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|tool| tool.describe()).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).map(|tool| tool.describe())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // A client of the stateless revision names itself in each request.
        if let Some(client) = context.client_info() {
            self.context.set_client(&client.name);
        }
        let Some(tool) = self.tools.iter().copied().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
            let message = format!("there is no tool {:?}; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        self.asked.get_or_init(|| self.ask_for_roots(&context.peer)).await;
        let (context, set) = (self.context.clone(), self.set);
        let arguments = request.arguments.unwrap_or_default();
        // A connection blocks its thread.
        let reply =
            tokio::task::spawn_blocking(move || ToolCall { context: &context, set, tool }.run(arguments));
        let reply = reply.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(reply.result().into())
    }
}

/// Says why parameters do not fit their type.
fn reason<T>(read: Result<Option<T>, serde_json::Error>) -> String {
    read.err().map_or_else(|| "params is wrong".to_owned(), |error| format!("params: {error}"))
}
