//! The configuration files of each runtime, in the project and for the user.

use std::path::{Path, PathBuf};

use editctl::runtime::Runtime;
use editctl::{Workspace, machine};

use crate::SetupError;

/// The users of a configuration file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Everybody who works on the project.
    Project,
    /// The user, in every project.
    User,
}

/// The places of a configuration: a folder, and the files in it that the runtime reads, the preferred one first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ConfigPlaces {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The paths in it.
    pub(crate) files: &'static [&'static str],
}

/// The folders of the user that the environment names.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserFolders {
    /// `HOME`, on Windows `USERPROFILE`.
    pub(crate) home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub(crate) xdg_config: Option<PathBuf>,
    /// `APPDATA`.
    pub(crate) app_data: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub(crate) codex: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub(crate) claude: Option<PathBuf>,
}

impl UserFolders {
    /// Returns the folders that the environment of this process names.
    pub(crate) fn of_this_process() -> Self {
        let folder = |name: &str| machine::variable(name).map(PathBuf::from);
        Self {
            home: folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" }),
            xdg_config: folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()),
            app_data: folder("APPDATA"),
            codex: folder("CODEX_HOME"),
            claude: folder("CLAUDE_CONFIG_DIR"),
        }
    }

    /// Returns the home folder.
    fn home(&self) -> Result<PathBuf, SetupError> {
        let home = self.home.clone().filter(|path| path.is_absolute());
        home.ok_or_else(|| {
            SetupError::Refused("the home folder is unknown: HOME names no absolute path".into())
        })
    }

    /// Returns `XDG_CONFIG_HOME`, else `~/.config`.
    fn config(&self) -> Result<PathBuf, SetupError> {
        self.xdg_config.clone().map_or_else(|| Ok(self.home()?.join(".config")), Ok)
    }
}

/// Returns the scope if no option names one: the project, if its file is meant to be shared and always read.
pub(crate) fn default_scope(runtime: Runtime) -> Scope {
    match runtime {
        // Codex reads the file of a project only if the user trusts it.
        Runtime::Codex | Runtime::Zed => Scope::User,
        _ => Scope::Project,
    }
}

/// Returns the files in the project.
///
/// # Errors
/// The runtime is not known to read servers from one.
pub(crate) fn project_files(runtime: Runtime) -> Result<&'static [&'static str], SetupError> {
    Ok(match runtime {
        Runtime::ClaudeCode => &[".mcp.json"],
        Runtime::Codex => &[".codex/config.toml"],
        Runtime::Cursor => &[".cursor/mcp.json"],
        Runtime::Vscode => &[".vscode/mcp.json"],
        Runtime::Opencode => {
            &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"]
        }
        Runtime::Gemini => &[".gemini/settings.json"],
        Runtime::Qwen => &[".qwen/settings.json"],
        Runtime::Zed => {
            let message =
                "setup writes the servers of Zed only into the settings of the user; leave out --project";
            return Err(SetupError::Usage(message.into()));
        }
    })
}

/// Returns the file in the project that has its hooks.
pub(crate) fn project_hooks(runtime: Runtime, is_local: bool) -> &'static str {
    match runtime {
        Runtime::ClaudeCode if is_local => ".claude/settings.local.json",
        Runtime::ClaudeCode => ".claude/settings.json",
        Runtime::Codex => ".codex/hooks.json",
        Runtime::Cursor => ".cursor/hooks.json",
        Runtime::Qwen => ".qwen/settings.json",
        Runtime::Gemini => ".gemini/settings.json",
        Runtime::Opencode => ".opencode/plugins/editctl.js",
        Runtime::Vscode | Runtime::Zed => ".github/hooks/editctl.json",
    }
}

/// Returns the folder and the file of the user that have its hooks.
///
/// # Errors
/// The place is unknown.
pub(crate) fn user_hooks(
    runtime: Runtime,
    folders: &UserFolders,
) -> Result<(PathBuf, &'static str), SetupError> {
    Ok(match (runtime, &folders.codex, &folders.claude) {
        (Runtime::ClaudeCode, _, Some(folder)) => (folder.clone(), "settings.json"),
        (Runtime::Codex, Some(folder), _) => (folder.clone(), "hooks.json"),
        (Runtime::Vscode, ..) => (folders.home()?, ".copilot/hooks/editctl.json"),
        (Runtime::Opencode, ..) => (folders.config()?, "opencode/plugins/editctl.js"),
        _ => (folders.home()?, project_hooks(runtime, false)),
    })
}

/// Returns the places for the user.
///
/// # Errors
/// The place is unknown.
pub(crate) fn user_places(runtime: Runtime, folders: &UserFolders) -> Result<ConfigPlaces, SetupError> {
    let at = |folder: PathBuf, files: &'static [&'static str]| Ok(ConfigPlaces { folder, files });
    match runtime {
        Runtime::ClaudeCode if folders.claude.is_some() => {
            let command = "claude mcp add --scope user editctl -- editctl mcp";
            Err(SetupError::Usage(format!("CLAUDE_CONFIG_DIR is set; run `{command}` instead")))
        }
        Runtime::ClaudeCode => at(folders.home()?, &[".claude.json"]),
        Runtime::Codex => match &folders.codex {
            Some(folder) => at(folder.clone(), &["config.toml"]),
            None => at(folders.home()?, &[".codex/config.toml"]),
        },
        Runtime::Cursor => at(folders.home()?, &[".cursor/mcp.json"]),
        Runtime::Gemini => at(folders.home()?, &[".gemini/settings.json"]),
        Runtime::Qwen => at(folders.home()?, &[".qwen/settings.json"]),
        Runtime::Opencode => at(folders.config()?, &["opencode/opencode.json", "opencode/opencode.jsonc"]),
        Runtime::Zed => match &folders.app_data {
            Some(folder) if cfg!(windows) => at(folder.clone(), &["Zed/settings.json"]),
            _ => at(folders.config()?, &["zed/settings.json"]),
        },
        Runtime::Vscode => {
            let server = r#"{"name": "editctl", "command": "editctl", "args": ["mcp"]}"#;
            let command = format!("code --add-mcp '{server}'");
            let message = format!("the file of the user depends on the profile of VS Code; run `{command}`");
            Err(SetupError::Usage(message))
        }
    }
}

/// Returns the folder of the project.
///
/// # Errors
/// It is not there, or is the home folder, where runtimes look for the files of the user.
pub(crate) fn project(given: Option<&Path>, folders: &UserFolders) -> Result<PathBuf, SetupError> {
    let folder = match given {
        Some(folder) => folder.to_path_buf(),
        None => machine::current_folder().map_err(|error| SetupError::File(".".into(), error))?,
    };
    let found = match given {
        Some(folder) => Workspace::at(folder),
        None => Workspace::find(&folder),
    };
    let root = found.map_err(|error| SetupError::File(folder, error))?.root().to_path_buf();
    let home = folders.home.as_deref().and_then(|home| machine::canonical(home).ok());
    if home.as_ref() == Some(&root) {
        let message =
            "the project would be the home folder; change to a project, or use --workspace or --user";
        return Err(SetupError::Refused(message.into()));
    }
    Ok(root)
}
