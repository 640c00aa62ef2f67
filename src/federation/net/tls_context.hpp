// What servers and callers have in common in TLS. Only for files that use TLS themselves.
#pragma once

#include <openssl/ssl.h>

#include "federation/net/keys.hpp"

namespace dovetail::federation {

// TLS 1.3 only, with our certificate and key, trusting our authority alone. False when the files
// cannot be used; openssl_error() says why.
bool use_identity(SSL_CTX& context, const Identity& self);

}  // namespace dovetail::federation
