# Read by build.sh and test.sh: what a release needs.

# Sets release, modfile and tags, and says what the go command downloads. Ends the script if it cannot go on.
choose_release() {
  releases=$(cd "$here/releases" && printf '%s\n' *.mod | sed 's/\.mod$//' | sort -V | tr '\n' ' ')
  release=${1:-}
  if [ -z "$release" ] || [ ! -f "$here/releases/$release.mod" ]; then
    echo "${0##*/}: expected a release, but got '$release'. The releases are: ${releases% }" >&2
    exit 2
  fi
  if ! command -v go >/dev/null 2>&1; then
    echo "${0##*/}: go is not installed. The request handlers are Go packages; see https://go.dev/doc/install" >&2
    exit 1
  fi
  # No C compiler is needed, and no workspace of the user is read.
  export CGO_ENABLED=0 GOWORK=off
  modfile=releases/$release.mod
  tags=release_$(printf '%s' "$release" | tr . _)
  handlers=$(sed -n 's,.*k8s\.io/apiserver \(v[^ ]*\).*,\1,p' "$here/$modfile")
  echo "Kubernetes $release: k8s.io/apiserver $handlers and $(grep -c ' v[0-9]' "$here/$modfile") modules in all." \
    "Those that are not in the module cache are downloaded; a build takes one to two minutes without a build cache." >&2
}
