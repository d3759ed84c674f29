"""Programs by what a rule may cover of them: one exact call, or their words with any others behind."""

import re

from acp_tui.host.rules.command_chain import CommandPart
from acp_tui.host.rules.reading_programs import reader_names

_PROJECT_TABLE = """
pytest py.test tox nox jest mocha ava phpunit rspec ctest tsc eslint mypy pyright flake8 pylint rubocop shellcheck
    staticcheck ktlint :
vitest golangci-lint : run
swiftlint : lint
cargo : test build check clippy bench doc fmt
ruff : check format
go : test build vet fmt
mix : test compile format credo dialyzer
gradle gradlew : test build check assemble compile
mvn mvnw : test compile package verify
dotnet : test build format
swift zig : test build
bazel bazelisk buck buck2 pants : test build query
stack cabal sbt lein rebar dune crystal gleam : test build compile check
npm pnpm yarn bun deno composer : test
flutter dart : test analyze
forge hardhat : test build compile
"""
"""Test and build tools: what they run is the project's, which the agent can change."""
_PLAIN_TABLE = """
mkdir touch :
git : status add commit
pip : list show freeze check
gh glab : _ issue pr mr repo run release search label
"""
"""Of these no other command may be offered with other arguments; `_`: two words behind the program."""
_OPTIONS_TABLE = """
* : -q -v -vv --quiet --verbose --silent
pytest py.test : -x -s -k -m -ra -rA --lf --ff --last-failed --failed-first --maxfail --tb --durations --no-header
cargo : -p -j --package --release --workspace --all --lib --bins --bin --test --tests --example --examples --exact
    --all-targets --all-features --features --no-default-features --no-fail-fast --locked --offline --nocapture --check
go : -race -run -count -short -timeout -bench -cover
npm pnpm yarn bun : --run --runInBand --ci --watch=false --coverage
jest vitest mocha : -t --coverage --run --runInBand --ci --bail --watch=false
tsc : --noEmit --pretty
ruff eslint mypy pylint flake8 pyright rubocop : --strict --no-color --check --diff
git : -m -a -am -A -u -s -b --message --all --short --branch --porcelain
gh glab : -L --limit --state --json --comments
pip : --format --outdated
mkdir : -p
"""
"""The options that a rule with other arguments covers, by program: none of them names a program or a file to write."""
_FREE = frozenset(("-m", "-am", "--message", "-k", "-t", "-run"))
"""Options with a text behind them: a message, or which tests."""
_TASKS_TABLE = """
gradle gradlew mvn mvnw sbt lein tox nox ctest zig swift mix rebar stack cabal dune deno composer bazel bazelisk buck
buck2 pants forge hardhat dotnet mocha ktlint
"""
"""Programs for which each further word is one more task, or may be one."""
_RUNNING_TABLE = """
sh bash zsh dash ash ksh mksh fish csh tcsh nu pwsh powershell cmd busybox toybox xonsh elvish rc python pypy ipython
bpython perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect osascript java jshell groovy scala kotlin
julia rscript r guile racket sbcl clisp emacs vi vim nvim view ex ed nano micro less more most man ghci runghc ocaml
elixir iex erl escript swipl octave gdb lldb sqlite sqlite3 psql mysql mongo mongosh redis-cli gnuplot ts-node tsx esno
coffee bc dc m4 awk gawk mawk nawk sed find fd fdfind xargs parallel tee env printenv sudo su doas runuser pkexec
setpriv chroot unshare nsenter bwrap firejail fakeroot proot systemd-run ssh scp sftp rsync rclone telnet nc ncat
netcat socat curl wget aria2c http httpie make gmake bmake just task rake invoke fab ninja cmake meson scons ant npx
pnpx bunx uvx uv pipx pip poetry pipenv hatch pdm rye conda mamba micromamba bundle bundler rbenv pyenv nvm volta asdf
mise direnv dotenv nix nix-shell nix-build guix docker podman nerdctl buildah kubectl oc helm minikube vagrant
docker-compose ansible ansible-playbook terraform tofu pulumi time timeout gtimeout nice ionice nohup setsid stdbuf
chrt taskset watch entr watchexec nodemon pm2 strace ltrace perf valgrind hyperfine script screen tmux at batch crontab
flock command builtin exec eval source trap nx turbo lerna foreman heroku op doppler act gem start open xdg-open apt
apt-get dpkg yum dnf rpm pacman apk brew port snap flatpak choco winget scoop systemctl service launchctl split csplit
xxd tar zip unzip 7z gzip gunzip bzip2 xz zstd cpio patch
"""
_DESTROYING_TABLE = """
rm rmdir unlink mv cp ln dd install chmod chown chgrp chattr setfacl kill pkill killall shred truncate mkfs fdisk
parted mount umount shutdown reboot halt poweroff swapoff iptables nft useradd userdel usermod passwd visudo trash srm
"""
_STARTING_WORDS_TABLE = """
run run-script exec execute shell x dlx ssh rsh eval call start script scripts develop console repl sh bash extension
alias serve api plugin
"""
_DESTROYING_WORDS_TABLE = """
push reset checkout switch restore clean rebase merge pull fetch clone delete destroy rm remove purge prune uninstall
drop wipe kill publish deploy apply upload release login logout auth unlink install add update upgrade config set init
"""
_VERSION = re.compile(r"[-.]?[0-9]+(?:[.][0-9]+)*$")
_COMMAND = re.compile("[a-z][a-z0-9]*(?:[:-][a-z0-9]+)*")
_INTERPRETER = re.compile("(?:python|pypy|perl|ruby|node|php|lua|bash|zsh|ksh|tclsh|guile|emacs|vim?|pip)[-.0-9]")


def _words_of(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _rows(table: str) -> dict[str, frozenset[str]]:
    """By each program the commands that are listed for it; empty: the program alone."""
    rows = (row.partition(":") for row in re.split(r"\n(?=\S)", table.strip()))
    return {name: _words_of(commands) for names, _, commands in rows for name in names.split()}


_PROJECT, _PLAIN, _OPTIONS = _rows(_PROJECT_TABLE), _rows(_PLAIN_TABLE), _rows(_OPTIONS_TABLE)
_BARE = re.compile(r"(?!@|data:)[A-Za-z0-9_.,:=@%+/\[\] -]*")
_TASKS = _words_of(_TASKS_TABLE)
_OTHERS = _words_of(_RUNNING_TABLE) | _words_of(_DESTROYING_TABLE)
_NEVER = _words_of(_STARTING_WORDS_TABLE) | _words_of(_DESTROYING_WORDS_TABLE)


def base_name(program: str) -> str:
    """A program's name without folders, case, `.exe` and the digits of a version: `Python3.11` is `python`."""
    name = program.replace("\\", "/").rsplit("/", 1)[-1].casefold().removesuffix(".exe")
    return name if name in _OTHERS else _VERSION.sub("", name) or name


def prefix_of(part: CommandPart) -> tuple[str, ...]:
    """The first words of a part, its program and mostly a command of it, that a rule may cover with any others behind.

    Empty: a rule can only cover exactly this part.
    """
    return _project_prefix(part) or _plain_prefix(part)


def argument_problem(part: CommandPart, covered: int) -> str:
    """Why a rule with other arguments does not cover what is behind the first `covered` words; empty if it does.

    Options are listed, since some name a program, a script or a file that is written. Any other word is plain: many
    programs expand variables, braces or addresses by themselves.
    """
    name, free = base_name(part.program), False
    known = _OPTIONS["*"] | _OPTIONS.get(name, frozenset())
    for word in part.argv[covered:]:
        if word == "--" or (free and not word.startswith("-")):  # else some programs take it for an option
            free = False
            continue
        option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
        if option and word not in known and option not in known:
            return f"an option that rules don't know: {option[:40]}"
        if not option and name in _TASKS:
            return "a further task"
        if option not in _FREE and (not _BARE.fullmatch(value) or "://" in value):
            return "an argument that programs may expand"
        free = option in _FREE and not equals
    return ""


def runs_project(part: CommandPart) -> bool:
    """Whether it is a test or build tool of a project, with a command that is listed."""
    return bool(_project_prefix(part))


def runs_others(part: CommandPart) -> bool:
    """Whether it runs other programs or destroys: a rule may cover exactly this part, in the same folder only."""
    name, words = base_name(part.program), part.argv[1:2]
    if _is_path(part) or _INTERPRETER.match(part.program.casefold()):
        return not _plain_prefix(part)
    if _project_prefix(part) or _plain_prefix(part):
        return False
    if name == "git":
        return any(word.startswith("-") or word in _NEVER for word in words)
    starts = name not in reader_names() and any(word in _NEVER for word in words)
    return starts or name in _OTHERS or name in _PROJECT or name in _PLAIN


def _is_path(part: CommandPart) -> bool:
    return "/" in part.program or "\\" in part.program


def _project_prefix(part: CommandPart) -> tuple[str, ...]:
    commands = _PROJECT.get(base_name(part.program))
    if commands is None or _is_path(part):
        return ()
    if not commands:
        return part.argv[:1]
    return part.argv[:2] if any(word in commands for word in part.argv[1:2]) else ()


def _plain_prefix(part: CommandPart) -> tuple[str, ...]:
    commands, words = _PLAIN.get(base_name(part.program)), part.argv[1:]
    if commands is None or _is_path(part):
        return ()
    if not commands:
        return part.argv[:1]
    if not words or words[0] not in commands:
        return ()
    if "_" not in commands:
        return part.argv[:2]
    below = len(words) > 1 and _COMMAND.fullmatch(words[1]) is not None and words[1] not in _NEVER
    return part.argv[:3] if below else ()
