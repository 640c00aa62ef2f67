// What servers and callers have in common in TLS. Only for files that use TLS themselves.
#pragma once

#include <openssl/ssl.h>

#include "federation/net/keys.hpp"

namespace dovetail::federation {

// TLS 1.3 only, with our certificate and key, trusting our authority alone. False when the files
// cannot be used; openssl_error() says why.
bool use_identity(SSL_CTX& context, const Identity& self);

// Of a server: every connection must show its certificate; sessions are not resumed.
void require_certificates(SSL_CTX& context);

}  // namespace dovetail::federation
