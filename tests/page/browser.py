# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to over a pipe in its own protocol: what the page tests need of it, and no more."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

LIMIT_S = 60


class Browser:
    def __init__(self, program="chromium"):
        self.folder = tempfile.mkdtemp(prefix="weir-page-")
        to_read, self.to = os.pipe()
        self.out, to_write = os.pipe()
        # The protocol's pipe is descriptors 3 and 4, which pass_fds alone can't place.
        script = f'exec 3<&{to_read} 4>&{to_write}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
             "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={self.folder}", "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.events = 0, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def close(self):
        try:
            os.write(self.to, b'{"id": 0, "method": "Browser.close"}\0')
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.out)
        shutil.rmtree(self.folder, ignore_errors=True)

    def next(self, deadline):
        """The next message; replies and events alike."""
        while b"\0" not in self.rest:
            if not select.select([self.out], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.out, 1 << 20)
            if not piece:
                raise EOFError("the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            question["sessionId"] = self.session
        data = json.dumps(question).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        deadline = time.monotonic() + LIMIT_S
        while True:
            message = self.next(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def look(self, width=1100, height=900, dark=False, media=""):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        """Opens a file, waits until its script has drawn; the complaints that the page made meanwhile."""
        self.events = []
        self.ask("Page.navigate", url="file://" + path)
        deadline = time.monotonic() + LIMIT_S
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.next(deadline))
        # Charts are drawn when their size is known: two frames later all have been.
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")
        return self.complaints()

    def complaints(self):
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(parameters["args"]))
            elif method == "Log.entryAdded":
                found.append(json.dumps(parameters["entry"]))
            elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(("file:", "data:")):
                found.append("asks the network: " + parameters["request"]["url"])
        return found

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path, whole=True):
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self.clip(whole))
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def clip(self, whole):
        if not whole:
            return {}
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def paper(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"]))
