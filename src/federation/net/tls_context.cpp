#include "federation/net/tls_context.hpp"

namespace dovetail::federation {

bool use_identity(SSL_CTX& context, const Identity& self) {
  return SSL_CTX_set_min_proto_version(&context, TLS1_3_VERSION) == 1 &&
         SSL_CTX_use_certificate_file(&context, self.certificate.c_str(), SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_use_PrivateKey_file(&context, self.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
         SSL_CTX_check_private_key(&context) == 1 &&
         SSL_CTX_load_verify_locations(&context, self.authority.c_str(), nullptr) == 1;
}

void require_certificates(SSL_CTX& context) {
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(&context, 0);
}

}  // namespace dovetail::federation
