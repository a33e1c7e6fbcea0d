// verdict: wrong answer · case.reduce_sum
// lab: 02
// Connects to the test's own listener on the loopback address, in IPv4, in IPv6 and by a child.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstdlib>

#include "breach.h"
#include "common/contracts/reduction.h"

static const int kPort = std::atoi("@PORT@");

static void connect_both() {
  const int v4 = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(kPort);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  breached_if(v4 >= 0 && connect(v4, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0, "the network");
  const int v6 = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 there{};
  there.sin6_family = AF_INET6;
  there.sin6_port = htons(kPort);
  inet_pton(AF_INET6, "::ffff:127.0.0.1", &there.sin6_addr);
  breached_if(v6 >= 0 && connect(v6, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0, "the network, by IPv6");
}

int reduce_sum(int*, int n) {
  static bool done = false;
  if (!done) {
    done = true;
    connect_both();
    if (fork() == 0) {
      connect_both();
      _exit(0);
    }
  }
  return n + 1;
}
