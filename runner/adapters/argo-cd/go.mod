// The modules of a release are in releases/RELEASE.mod, which build.sh passes with -modfile. The go command only needs
// this file to find the root of the module.
module skewer.dev/argo-cd

go 1.26.0
