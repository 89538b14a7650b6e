#!/bin/sh
# Boots systemd in a copy of a root folder. All changes are in memory, and disappear with this
# process. Call it in its own namespaces: see throwaway-root.fixture.ts.
#
# throwaway-root.sh LOWER FILES: the root folder, and a folder whose files appear in /root/files.
set -eu
lower=$1
files=$2
layers=$(mktemp -d)
mount -t tmpfs tmpfs "$layers"
mkdir "$layers/upper" "$layers/work" "$layers/root"
mount -t overlay -o "lowerdir=$lower,upperdir=$layers/upper,workdir=$layers/work" overlay "$layers/root"
cd "$layers/root"
mkdir -p root/files
cp -R "$files/." root/files

mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do cp -a "/dev/$device" "dev/$device"; done
mkdir dev/shm dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up

# No service of the lower root starts, and packages may start theirs.
find etc/systemd/system usr/lib/systemd/system/*.wants -path '*.wants/*.service' -delete
rm -f usr/sbin/policy-rc.d
: > etc/machine-id

mkdir run/before
pivot_root . run/before
umount -l /run/before
exec env -i container=throwaway PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --unit=multi-user.target --log-target=journal --show-status=no
