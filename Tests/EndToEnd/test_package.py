"""What people install: the Debian package, the tar archive, `make install`; manual pages, completions, the service."""

from __future__ import annotations

import configparser
import gzip
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import tarfile
import unittest
import urllib.request
from pathlib import Path

from program import LAB, PROGRAM, Folder, run, sample
from scale import IS_LONG
from side_by_side import load_side_by_side as load_tests  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "Packaging/package"
IS_ROOT = os.geteuid() == 0
#: An account that owns nothing, for the service; the package makes its own.
NOBODY = 65534
#: Everything that a package may put on a machine.
PLACES = ("./usr/bin/", "./usr/share/", "./lib/systemd/system/", "./etc/freshet/")


def made(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess:
    """A run of the packager, which compresses nothing here."""
    return subprocess.run(
        [PACKAGE, *arguments], capture_output=True, text=True,
        env={**os.environ, "PACKAGE_LEVEL": "0", "SOURCE_DATE_EPOCH": "1700000000", **environment},
    )


def output(*command: str | Path, **options) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def setUpModule():
    Packaged.make()


class Packaged(unittest.TestCase):
    """One package for all tests here."""

    @classmethod
    def make(cls) -> None:
        cls.folder = Folder()
        unittest.addModuleCleanup(cls.folder.remove)
        # Stripped once: every package has it so.
        cls.program = cls.folder / "freshet"
        output("strip", "--strip-all", "-o", cls.program, PROGRAM)
        cls.program.chmod(0o755)
        done = made(cls.program, "deb", cls.folder / "dist")
        assert done.returncode == 0, done.stderr
        cls.package = next((cls.folder / "dist").glob("*.deb"))
        cls.tree = cls.folder / "tree"
        output("dpkg-deb", "--extract", cls.package, cls.tree)
        cls.control = cls.folder / "control"
        output("dpkg-deb", "--control", cls.package, cls.control)


class PackageTest(Packaged):
    def field(self, name: str) -> str:
        return output("dpkg-deb", "--field", self.package, name).strip()

    def test_the_package_says_what_it_is_and_needs(self):
        version = run("--version").stdout.strip()
        architecture = output("dpkg", "--print-architecture").strip()
        self.assertEqual(self.package.name, f"freshet_{version}_{architecture}.deb")
        self.assertEqual((self.field("Package"), self.field("Version")), ("freshet", version))
        needed = {each.split()[0] for each in self.field("Depends").split(", ")}
        self.assertLessEqual({"libc6", "libzip4", "passwd"}, {re.sub(r"t64$", "", each) for each in needed})
        self.assertIn("git", self.field("Recommends"))
        size = sum(path.stat().st_size for path in self.tree.rglob("*") if path.is_file())
        self.assertAlmostEqual(int(self.field("Installed-Size")), size / 1024, delta=10)
        self.assertEqual((self.control / "conffiles").read_text().split(), ["/etc/freshet/freshet.json"])

    def test_its_files_are_where_they_belong_and_no_other_users(self):
        for line in output("dpkg-deb", "--contents", self.package).splitlines():
            rights, owner, _, _, _, path = line.split(None, 5)
            self.assertEqual(owner, "root/root", line)
            is_folder = rights.startswith("d")
            self.assertTrue(is_folder or path.startswith(PLACES), line)
            is_program = path == "./usr/bin/freshet"
            self.assertEqual(rights[1:], "rwxr-xr-x" if is_folder or is_program else "rw-r--r--", line)
        sums = (self.control / "md5sums").read_text()
        output("md5sum", "--check", "--strict", "--quiet", input=sums, cwd=self.tree)
        listed = {line.split(None, 1)[1] for line in sums.splitlines()}
        files = {str(path.relative_to(self.tree)) for path in self.tree.rglob("*") if path.is_file()}
        self.assertEqual(listed, files)

    def test_the_same_program_and_date_give_the_same_bytes(self):
        again = made(self.program, "deb", self.folder / "again")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "again" / self.package.name).read_bytes(), self.package.read_bytes())

    def test_the_archive_and_make_install_have_the_same_files(self):
        done = made(self.program, "tar", self.folder / "tar")
        self.assertEqual(done.returncode, 0, done.stderr)
        archive = next((self.folder / "tar").glob("*.tar.gz"))
        name = archive.name.removesuffix(".tar.gz")
        with tarfile.open(archive) as opened:
            members = {each.name.removeprefix(name).lstrip("/"): each for each in opened.getmembers()}
        done = made(self.program, "install", "/opt/freshet", DESTDIR=str(self.folder / "destination"))
        self.assertEqual(done.returncode, 0, done.stderr)
        prefix = self.folder / "destination/opt/freshet"
        installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
        archived = {path for path, each in members.items() if each.isfile()}
        self.assertEqual(archived - installed, {"lib/systemd/system/freshet.service"})
        self.assertEqual(installed - archived, set())
        packaged = {str(path.relative_to(self.tree / "usr")) for path in (self.tree / "usr").rglob("*") if path.is_file()}
        self.assertEqual(installed, packaged)
        self.assertEqual({(each.uid, each.gid, each.uname) for each in members.values()}, {(0, 0, "root")})
        self.assertEqual(members["bin/freshet"].mode, 0o755)
        self.assertEqual(output(prefix / "bin/freshet", "--version"), run("--version").stdout)

    def test_the_lab_is_a_package_of_its_own_without_a_service(self):
        program = self.folder / "freshet-lab"
        output("strip", "--strip-all", "-o", program, LAB)
        program.chmod(0o755)
        done = made(program, "deb", self.folder / "lab")
        self.assertEqual(done.returncode, 0, done.stderr)
        package = next((self.folder / "lab").glob("freshet-lab_*.deb"))
        fields = output("dpkg-deb", "--field", package)
        self.assertIn("Package: freshet-lab\n", fields)
        # Without it, `freshet demo` says that it is missing.
        self.assertIn("freshet-lab", output("dpkg-deb", "--field", self.package, "Recommends"))
        control = self.folder / "lab-control"
        output("dpkg-deb", "--control", package, control)
        self.assertEqual({path.name for path in control.iterdir()}, {"control", "md5sums"})
        files = {line.split(None, 5)[5] for line in output("dpkg-deb", "--contents", package).splitlines()}
        self.assertTrue({"./usr/bin/freshet-lab", "./usr/share/man/man1/freshet-lab-simulate.1.gz", "./usr/share/man/man1/freshet-lab-demo.1.gz"} <= files)
        others = {line.split(None, 5)[5] for line in output("dpkg-deb", "--contents", self.package).splitlines()}
        self.assertEqual({path for path in files & others if not path.endswith("/")}, set(), "both can be installed")

    def test_what_cannot_be_packaged_is_refused_with_the_reason(self):
        other = self.folder / "other"
        other.mkdir()
        shutil.copy("/bin/true", other / "freshet")
        for arguments, code, said in (
            ((self.folder / "absent", "deb", self.folder / "no"), 1, "build it first"),
            (("/bin/true", "tar", self.folder / "no"), 1, "the name of the file is to be one of freshet, freshet-lab"),
            ((other / "freshet", "tar", self.folder / "no"), 1, "says that its version is"),
            ((self.program, "rpm", self.folder / "no"), 64, "Packaging/package PROGRAM deb OUT"),
        ):
            done = made(*arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_scripts_of_the_package_are_valid_and_do_nothing_else_than_they_should(self):
        for name in ("postinst", "prerm", "postrm"):
            script = self.control / name
            self.assertEqual(stat.S_IMODE(script.stat().st_mode), 0o755)
            output("sh", "-n", script)
            # dpkg calls them in many ways; what they do not know is nothing to them.
            self.assertEqual(output("sh", script, "abort-upgrade", "0.0.1"), "")


class ManualTest(Packaged):
    def pages(self) -> dict[str, str]:
        folder = self.tree / "usr/share/man/man1"
        return {path.name.removesuffix(".1.gz"): gzip.decompress(path.read_bytes()).decode() for path in folder.iterdir()}

    def shown(self, source: str) -> str:
        """A page as it is read, without its emphasis."""
        said = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", "-rLL=500n"], input=source, capture_output=True,
            text=True, check=True,
        )
        self.assertEqual(said.stderr, "")
        return re.sub(r"\x1b\[[0-9;]*m|.\x08", "", said.stdout)

    def assertSays(self, page: str, text: str) -> None:  # noqa: N802
        """That a page has a text, however it is broken into lines."""

        def letters(text: str) -> str:
            return re.sub(r"[\s‐−-]+", "", text)

        self.assertIn(letters(text), letters(page), text)

    def test_a_page_lists_the_exit_codes_of_the_documentation(self):
        table = (ROOT / "Documentation/installation.md").read_text().split("## Exit codes")[1].split("\n## ")[0]
        documented = re.findall(r"^\| (\d+) \|", table, re.MULTILINE)
        self.assertGreater(len(documented), 10)
        page = self.shown(self.pages()["freshet-import"]).split("EXIT STATUS")[1]
        self.assertEqual(re.findall(r"(?m)^ +(\d+)(?= )", page), documented)

    def test_each_command_has_a_page_with_each_of_its_options(self):
        pages = self.pages()
        root = json.loads(run("--experimental-dump-help").stdout)["command"]
        commands = [each for each in root["subcommands"] if each["shouldDisplay"] and each["commandName"] != "help"]
        self.assertEqual(set(pages), {"freshet"} | {f"freshet-{each['commandName']}" for each in commands})

        def check(command: dict, page: str) -> None:
            self.assertSays(page, command["abstract"])
            for each in command.get("arguments", []):
                if not each["shouldDisplay"]:
                    continue
                names = [one for one in each.get("names", []) if one["name"] not in ("help", "h", "version")]
                for name in names:
                    self.assertRegex(page.replace("‐", "-").replace("−", "-"), rf"(?m)^ +.*--?{re.escape(name['name'])}\b")
                if names or each["kind"] == "positional":
                    self.assertSays(page, each["abstract"])
            for each in command.get("subcommands", []):
                if each["shouldDisplay"] and each["commandName"] != "help":
                    check(each, page)

        for command in commands:
            check(command, self.shown(pages[f"freshet-{command['commandName']}"]))
        overview = self.shown(pages["freshet"])
        for command in commands:
            self.assertRegex(overview, rf"(?m)^ +{re.escape(command['commandName'])}\b".replace("\\-", "[-‐−]"))

    def test_a_shell_completes_commands_and_options(self):
        script = self.tree / "usr/share/bash-completion/completions/freshet"

        def completed(*words: str) -> set[str]:
            line = " ".join(words)
            said = output(
                "bash", "--norc", "-c",
                f"source {shlex.quote(str(script))}; PATH={shlex.quote(str(self.tree / 'usr/bin'))}:$PATH\n"
                f"COMP_WORDS=({' '.join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1} COMP_TYPE=9\n"
                f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}\n"
                "function=$(complete -p freshet | sed -E 's/.*-F ([^ ]+).*/\\1/')\n"
                f"\"$function\" freshet {shlex.quote(words[-1])} {shlex.quote(words[-2])}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            )
            return {each.strip() for each in said.splitlines()}

        self.assertEqual(completed("freshet", "ser"), {"serve"})
        self.assertEqual(completed("freshet", "serve", "--trip"), {"--trip-updates"})
        for shell, place in (
            ("zsh", "usr/share/zsh/vendor-completions/_freshet"), ("fish", "usr/share/fish/vendor_completions.d/freshet.fish"),
        ):
            text = (self.tree / place).read_text()
            self.assertIn("trip-updates", text)
            self.assertTrue(text.startswith("#compdef freshet") if shell == "zsh" else "complete -c 'freshet'" in text, text[:200])


class ServiceTest(Packaged):
    """The unit of the service, with its own command line, as a user that owns only the state folder."""

    def unit(self) -> configparser.ConfigParser:
        unit = configparser.ConfigParser(strict=True, interpolation=None)
        unit.optionxform = str
        unit.read(self.tree / "lib/systemd/system/freshet.service")
        return unit

    def test_the_service_is_confined(self):
        service = self.unit()["Service"]
        self.assertEqual((service["User"], service["StateDirectory"]), ("freshet", "freshet"))
        self.assertIn("useradd --system", (self.control / "postinst").read_text())
        for name, value in {
            "NoNewPrivileges": "yes", "ProtectSystem": "strict", "PrivateTmp": "yes", "PrivateDevices": "yes",
            "CapabilityBoundingSet": "", "RestrictSUIDSGID": "yes", "MemoryDenyWriteExecute": "yes", "UMask": "0077",
        }.items():
            self.assertEqual(service[name], value, name)

    @unittest.skipUnless(IS_ROOT, "another user can be taken by root only")
    def test_its_command_line_serves_a_board_as_another_user(self):
        command = shlex.split(self.unit()["Service"]["ExecStart"])
        self.assertEqual(command[0], "/usr/bin/freshet")
        settings = self.tree / "etc/freshet/freshet.json"
        self.assertEqual(command[1:], ["serve", "--config", "/etc/freshet/freshet.json"])
        data = json.loads(settings.read_text())
        self.assertTrue(data["data"].startswith("/var/lib/freshet/"))
        state = self.folder / "state"
        state.mkdir(mode=0o750)
        os.chown(state, NOBODY, NOBODY)
        self.folder.path.chmod(0o755)
        sample(self.folder / "feed")
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": state, "env": {"PATH": "/usr/bin:/bin"}}
        place = state / Path(data["data"]).relative_to("/var/lib/freshet")
        program = self.tree / "usr/bin/freshet"
        output(program, "import", self.folder / "feed", "--data", place, **as_nobody)
        mine = self.folder / "freshet.json"
        mine.write_text(json.dumps({**data, "data": str(place), "port": 0}))
        with subprocess.Popen(
            [program, "serve", "--config", mine, "--now", "2026-11-24T08:00:00+01:00"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, **as_nobody,
        ) as server:
            try:
                line = next(line for line in server.stdout if "Serving http" in line)
                url = re.search(r"http://[0-9.]+:\d+", line)[0]
                with urllib.request.urlopen(f"{url}/api/stationboard?stop_id=Parent8501120", timeout=60) as answer:
                    self.assertTrue(json.load(answer)["departures"])
            finally:
                server.terminate()
                server.stdout.read()
            self.assertEqual(server.wait(), 0)
        self.assertEqual({os.stat(path).st_uid for path in [state, *state.rglob("*")]}, {NOBODY})


@unittest.skipUnless(IS_LONG and IS_ROOT, "a bare Debian is made by make test-long, as root")
class BareDebianTest(unittest.TestCase):
    """The package in a Debian that has nothing else."""

    def test_from_package_to_board_and_back_to_nothing(self):
        said = subprocess.run(
            [ROOT / "Packaging/try-bare-debian", PROGRAM], capture_output=True, text=True, timeout=3_000,
        )
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


if __name__ == "__main__":
    unittest.main()
