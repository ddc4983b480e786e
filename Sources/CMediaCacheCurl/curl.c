#include "CMediaCacheCurl.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

curl_socket_t mc_curl_open_socket(const struct curl_sockaddr *address) {
  int descriptor = socket(address->family, address->socktype, address->protocol);
  if (descriptor < 0) return CURL_SOCKET_BAD;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  // Without a limit on unsent bytes, the system would accept megabytes that a slow network hasn't sent yet. Stalls, and
  // the time at which the request has been sent, couldn't be detected.
  int unsent = 128 << 10;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  return descriptor;
}

int mc_curl_address_bytes(const struct curl_sockaddr *address, unsigned char *bytes) {
  // libcurl allocates the structure with space for the whole address.
  const void *socket_address = &address->addr;
  if (address->family == AF_INET) {
    struct sockaddr_in ipv4;
    memcpy(&ipv4, socket_address, sizeof ipv4);
    memcpy(bytes, &ipv4.sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 ipv6;
    memcpy(&ipv6, socket_address, sizeof ipv6);
    memcpy(bytes, &ipv6.sin6_addr, 16);
    return 16;
  }
  return 0;
}
