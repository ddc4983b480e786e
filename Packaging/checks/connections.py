"""Keeps requests open through the reverse proxy, and reports how many were refused.

    connections.py PORT CERTIFICATE COUNT

Each request announces a body that is never sent. Prints the number of requests that were refused with 503, and the
status of a request from another address that is sent while the others are open.
"""
import re
import select
import socket
import ssl
import sys

port, certificate, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
name = "cache.example.org"
context = ssl.create_default_context(cafile=certificate)


def connect(source):
    plain = socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))
    return context.wrap_socket(plain, server_hostname=name)


def status(connection):
    found = re.match(rb"HTTP/1\.1 (\d+)", connection.recv(4096))
    return int(found.group(1)) if found else 0


held = []
for _ in range(count):
    connection = connect("127.0.0.1")
    connection.sendall(f"GET /media/healthz HTTP/1.1\r\nHost: {name}\r\nContent-Length: 1\r\n\r\n".encode())
    connection.setblocking(False)
    held.append(connection)
# Only refused requests have responses. They are complete when none has arrived for three seconds.
refused = 0
while ready := select.select(held, [], [], 3)[0]:
    for connection in ready:
        try:
            refused += status(connection) == 503
        except ssl.SSLWantReadError:
            # The data belongs to TLS, such as a session ticket.
            continue
        held.remove(connection)
        connection.close()
other = connect("127.0.0.2")
other.sendall(f"GET /media/healthz HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())
print(refused, status(other))
for connection in [*held, other]:
    connection.close()
