//! The page of `editctl report` in Chromium: narrow and wide, light and dark. It fits the window, and the console has no error.
//! Without Chromium the test is skipped.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use editd_tests::binaries;
use serde_json::{Value, json};

use super::{ChangedTree, done};

/// The names of the browser.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The options of a browser that is spoken to on descriptors 3 and 4, ends after two minutes, and asks the network for nothing.
const START: &str = "exec timeout 120 \"$0\" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
                     --no-first-run --disable-background-networking --disable-component-update \
                     --remote-debugging-pipe --user-data-dir=\"$1\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";

/// A browser and the messages of its protocol for developers, each with a NUL at its end.
struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
    session: Option<String>,
    events: Vec<Value>,
}

impl Browser {
    /// Starts the browser with an empty page.
    fn start(program: &str, folder: &Path) -> Self {
        let mut command = Command::new("bash");
        command.args(["-c", START, program]).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.env("HOME", folder).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Self { child, to, from, last: 0, session: None, events: Vec::new() };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", target);
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for part in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{part}.enable"), json!({}));
        }
        browser
    }

    fn next(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        assert_eq!(message.pop(), Some(0), "the browser ended");
        serde_json::from_slice(&message).unwrap()
    }

    /// Calls a method; keeps the events that come before its result.
    #[track_caller]
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut request = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{request}\0").as_bytes()).unwrap();
        loop {
            let reply = self.next();
            if reply["id"] == json!(self.last) {
                assert!(reply["error"].is_null(), "{method}: {reply}");
                return reply["result"].clone();
            }
            self.events.push(reply);
        }
    }

    /// Loads a page.
    fn load(&mut self, address: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": address }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.next();
            self.events.push(event);
        }
    }

    /// Returns the value of an expression.
    fn value(&mut self, expression: &str) -> Value {
        let words = json!({ "expression": expression, "returnByValue": true });
        self.call("Runtime.evaluate", words)["result"]["value"].clone()
    }

    /// Returns the errors of the console, and what the page loads beside itself.
    fn complaints(&self, address: &str) -> Vec<&Value> {
        let is_wrong = |event: &&Value| {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => true,
                "Runtime.consoleAPICalled" => ["error", "assert"].iter().any(|kind| params["type"] == *kind),
                "Log.entryAdded" => params["entry"]["level"] == "error",
                "Network.requestWillBeSent" => params["request"]["url"] != address,
                _ => false,
            }
        };
        self.events.iter().filter(is_wrong).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of its input ends the browser; `timeout` passes the signal on.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the name of the browser that is installed.
fn installed() -> Option<&'static str> {
    let found = NAMES.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        eprintln!(
            "no Chromium ({}): the page is not opened in a browser, and this test is skipped",
            NAMES.join(", ")
        );
    }
    found
}

#[test]
fn the_page_fits_narrow_and_wide_windows_in_light_and_dark() {
    let Some(program) = installed() else { return };
    let tree = ChangedTree::changed();
    let home = tree.daemon.folder("home");
    let made = home.join("made.html");
    done(&tree.daemon, &["report", "--since", "1", "--html", made.to_str().unwrap()]);
    let stored: PathBuf = binaries::top().join("client/history/src/page/page.html");
    let mut browser = Browser::start(program, &home.join("browser"));
    let mut grounds = Vec::new();
    for (width, scheme) in [(320, "light"), (320, "dark"), (1280, "light"), (1280, "dark")] {
        let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600 });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        browser.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
        for file in [&made, &stored] {
            let address = format!("file://{}", file.display());
            browser.load(&address);
            let name = format!("{} at {width}, {scheme}", file.display());
            assert_eq!(browser.value("innerWidth"), json!(width), "{name}");
            let beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(browser.value(beyond), json!(0), "{name} overflows");
            // Neither does a part of it, which the window would cut.
            let wide = "[...document.querySelectorAll('body *')].filter(it => it.scrollWidth > it.clientWidth + 1 \
                        && getComputedStyle(it).display != 'inline').map(it => it.outerHTML.slice(0, 99))";
            assert_eq!(browser.value(wide), json!([]), "{name} has parts that overflow");
            assert!(
                browser.value("document.querySelectorAll('details').length").as_u64() > Some(5),
                "{name}"
            );
            grounds.push(browser.value("getComputedStyle(document.body).backgroundColor"));
            let complaints = browser.complaints(&address);
            assert!(complaints.is_empty(), "{name}: {complaints:?}");
        }
    }
    let (light, dark) = (json!("rgb(255, 255, 255)"), json!("rgb(13, 17, 23)"));
    assert_eq!(grounds, [&light, &light, &dark, &dark, &light, &light, &dark, &dark].map(Value::clone));
}
