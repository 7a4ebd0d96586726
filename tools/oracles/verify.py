"""Runs the Python and Go code of docs/webhooks.md with which receivers verify deliveries.

Usage: verify.py DOCUMENT. Each row of signatures.json must be accepted or refused as it states. Exits with 1 otherwise.
Without Go the Go code is skipped with a message.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).parent
rows = json.loads((here / "signatures.json").read_text())


def by_python(code):
    names = {}
    exec(compile(code, "docs/webhooks.md", "exec"), names)
    return [names["is_genuine"](row["body"].encode(), row["header"], row["secret"]) for row in rows]


def by_go(code):
    with tempfile.TemporaryDirectory(prefix="reticle-verifier-") as folder:
        module = Path(folder)
        (module / "webhooks").mkdir()
        (module / "webhooks/verifier.go").write_text(code)
        (module / "go.mod").write_text("module oracles\n\ngo 1.21\n")
        shutil.copy(here / "verifier.go", module / "main.go")
        ran = subprocess.run(
            ["go", "run", "."], cwd=module, input=json.dumps(rows), capture_output=True, text=True
        )
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        return json.loads(ran.stdout)


def main(document):
    text = document.read_text()
    code = {language: body for language, body in re.findall(r"```(py|go)\n(.*?)```", text, re.S)}
    wrong = 0
    for language, answers in (("py", by_python), ("go", by_go)):
        if language == "go" and not shutil.which("go"):
            print("SKIPPED: the Go lines of docs/webhooks.md. There is no Go on this machine.")
            continue
        found = answers(code[language])
        lines = [row["what"] for row, answer in zip(rows, found) if answer != row["genuine"]]
        wrong += len(lines)
        print(f"verifier in {language}: {len(rows)} deliveries, {'WRONG' if lines else 'each told right'}")
        for line in lines:
            print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
