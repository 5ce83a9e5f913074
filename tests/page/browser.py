"""A headless Chromium for pages on disk."""

import contextlib
import shutil
import subprocess
import sys
import tempfile
import time


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def run_gridlock(gridlock, *arguments, folder):
    done = subprocess.run([gridlock, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


# On a busy machine, a browser may take longer to start than its driver waits.
def started(start):
    from selenium.common.exceptions import WebDriverException
    for _ in range(3):
        try:
            return start()
        except WebDriverException as error:
            why = str(error).splitlines()[0]
    return skip("the browser does not start here: " + why)


@contextlib.contextmanager
def chromium(width=1280, height=900, scale=1, dark=False):
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        skip("there is no Selenium for Python (python3-selenium)")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        skip("there is no chromium with its chromedriver (chromium, chromium-driver)")
    with tempfile.TemporaryDirectory(prefix="gridlock-browser-") as profile:
        options = Options()
        options.binary_location = program
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run",
                         "--user-data-dir=" + profile, f"--window-size={width},{height}",
                         f"--force-device-scale-factor={scale}", "--hide-scrollbars"):
            options.add_argument(argument)
        if dark:
            options.add_argument("--blink-settings=preferredColorScheme=0")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        page = started(lambda: webdriver.Chrome(service=Service(driver), options=options))
        try:
            page.set_script_timeout(120)
            # The window's frame takes part of the window's size.
            page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
            yield page
        finally:
            page.quit()


def open_page(page, file, fragment=""):
    page.get("about:blank")
    page.get("file://" + str(file) + fragment)
    wait_for(page, "return document.documentElement.dataset.ready === 'true'")


def wait_for(page, script, seconds=60):
    end = time.monotonic() + seconds
    while not page.execute_script(script):
        if time.monotonic() > end:
            raise AssertionError("never true in the page: " + script)
        time.sleep(0.05)
