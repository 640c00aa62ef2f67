#include "federation/net/tls_context.hpp"

namespace dovetail::federation {

bool use_identity(SSL_CTX& context, const Identity& self) {
  return SSL_CTX_set_min_proto_version(&context, TLS1_3_VERSION) == 1 &&
         SSL_CTX_use_certificate_file(&context, self.certificate.c_str(), SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_use_PrivateKey_file(&context, self.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_check_private_key(&context) == 1 &&
         SSL_CTX_load_verify_locations(&context, self.authority.c_str(), nullptr) == 1;
}

}  // namespace dovetail::federation
