"""The blocks of the README and the examples are run, and the types are checked."""

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import unittest

import editd

from .workspace import WorkspaceTest

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class DocumentsTest(WorkspaceTest):
    def test_the_blocks_of_the_readme(self) -> None:
        with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)
        self.assertEqual(len(blocks), 3)
        os.mkdir(os.path.join(self.root, "project"))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.root)
        said = []
        for block in blocks:
            output = io.StringIO()
            names = {"__name__": "readme"}
            with contextlib.redirect_stdout(output):
                exec(compile(block, "README.md", "exec"), names)
            if "client" in names:
                names["client"].close()  # type: ignore[attr-defined]
            said.append(output.getvalue())
        self.assertEqual(said[0], "print('hello')\n\napplied 2\n")
        self.assertRegex(said[1], r"^stale [0-9a-f]{12}\n")
        self.assertIn("+print('more')", said[1])
        self.assertIn("10 jobs\n{'change': ", said[2])
        self.assertEqual(self.content("project/hello.py"), b"print('hello')\nprint('more')\n")

    def test_the_edit_tool(self) -> None:
        self.put(".editd.toml", b"")
        self.put("a.txt", b"one\ntwo\n")
        program = os.path.join(TOP, "examples", "edit_tool.py")
        self.client().status()

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            command = [sys.executable, program, *words]
            return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=60)

        done = run("a.txt", "two", "2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "applied: a.txt line 2\n", ""))
        done = run("a.txt", "two", "2")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("made this very change", done.stdout)
        self.assertEqual(run("new.txt", "", "x\n").stdout, "applied: new.txt line 1\n")
        self.assertEqual((self.content("a.txt"), self.content("new.txt")), (b"one\n2\n", b"x\n"))

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_the_types_are_strict(self) -> None:
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            os.path.join(self.folder, "mypy"),
            "src/editd",
        ]
        # The packages of the user are found although the test has another home folder.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MYPYPATH": os.path.join(TOP, "src")}
        words = [*command, "examples"]
        done = subprocess.run(words, cwd=TOP, env=environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
