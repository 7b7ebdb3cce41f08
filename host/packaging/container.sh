#!/usr/bin/env bash
# Makes the container image: as an OCI archive if buildah is installed, else as the folder that a builder takes.
#
#   container.sh        into target/packages/container: rootfs/, state/, Containerfile, image.tar
#   DIST_BINARY=FILE    another program than that of `make dist`: a static one needs no libraries
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fact() { python3 "$here/facts.py" "$1"; }
binary=$(fact binary) epoch=$(fact epoch) image=$(fact image) command=$(fact command) version=$(fact version)
[ -f "$binary" ] || { echo "packaging: $binary is missing: run \`make dist\`" >&2; exit 1; }
out=$here/../../target/packages/container
rm -rf "$out"
mkdir -p "$out"/rootfs/{usr/bin,"etc/$command",etc/ssl/certs,proc,tmp} "$out/state"
cd "$out"
install -m 755 "$binary" "rootfs/usr/bin/$command"
# The loader and the libraries that it needs, where it looks for them; a static program has none.
libraries=$(ldd "$binary" 2>/dev/null | grep -o '/[^ ]*' || true)
for library in $libraries; do
    mkdir -p "rootfs$(dirname "$library")"
    cp -L "$library" "rootfs$library"
done
if [ -n "$libraries" ]; then
    # Names of hosts: glibc loads these while it runs.
    for library in /lib/*-linux-gnu/libnss_{dns,files}.so.2 /lib/*-linux-gnu/libresolv.so.2; do
        [ -e "$library" ] && cp -L "$library" "rootfs$library"
    done
fi
echo 'hosts: files dns' >rootfs/etc/nsswitch.conf
echo 'nonroot:x:65532:65532:nonroot:/state:/sbin/nologin' >rootfs/etc/passwd
echo 'nonroot:x:65532:' >rootfs/etc/group
certificates=/etc/ssl/certs/ca-certificates.crt
[ -f "$certificates" ] || { echo "packaging: $certificates is missing (Debian: apt-get install ca-certificates)" >&2; exit 1; }
cp -L "$certificates" rootfs/etc/ssl/certs/
chmod 1777 rootfs/tmp
chmod 700 state
find rootfs state -exec touch --no-dereference --date="@$epoch" {} +
sed "s/@COMMAND@/$command/g" "$here/Containerfile" >Containerfile
if ! command -v buildah >/dev/null 2>&1; then
    echo "packaging: buildah is missing (Debian: apt-get install buildah), so the image was not built: $out" >&2
    exit 0
fi
buildah build --quiet --isolation chroot --storage-driver vfs --timestamp "$epoch" \
    --tag "$image:$version" --file Containerfile . >/dev/null
rm -f image.tar
buildah push --quiet --storage-driver vfs "$image:$version" "oci-archive:image.tar:$image:$version"
