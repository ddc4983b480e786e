#!/bin/bash
# Installs the package where systemd runs, and starts, reloads, upgrades and removes the service. Run as a service of a
# container by Scripts/check-package.sh. If it succeeds, the last line of its output is "passed".
set -euo pipefail

fail() {
    echo "systemd: $*" >&2
    journalctl --no-pager --lines 20 --unit mediacache.service >&2 || true
    exit 1
}
trap 'fail "line $LINENO failed"' ERR

responds() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        ! curl --silent --fail --max-time 2 http://127.0.0.1:9479/healthz >/dev/null || return 0
        sleep 0.1
    done
    return 1
}

process() { systemctl show --property MainPID --value mediacache.service; }

dpkg -i /packages/older.deb >/dev/null
[ "$(systemctl is-enabled mediacache.service || true)" = disabled ] || fail "the package enabled its service"
systemctl enable --now mediacache.service 2>/dev/null
responds || fail "the service doesn't respond"
first=$(process)
systemctl reload mediacache.service
responds || fail "the service doesn't respond after a reload"
[ "$(process)" = "$first" ] || fail "a reload ended the server"
kill -KILL "$first"
sleep 3
responds || fail "the service wasn't started again after SIGKILL"
first=$(process)
dpkg -i /packages/mediacache.deb >/dev/null
responds || fail "the service doesn't respond after the upgrade"
[ "$(process)" != "$first" ] || fail "the upgrade didn't start the new version"
[ "$(stat -c %U:%a /var/lib/mediacache)" = mediacache:700 ] || fail "the cache is open to other users"
echo "resident memory $(sed -n 's/^VmRSS:[[:space:]]*//p' "/proc/$(process)/status")"
dpkg -r mediacache >/dev/null 2>&1
! systemctl is-active --quiet mediacache.service || fail "the removal left the service running"
[ -d /var/lib/mediacache ] || fail "the removal deleted the cache"
dpkg -P mediacache >/dev/null 2>&1
[ ! -e /var/lib/mediacache ] || fail "purge left the cache"
echo passed
