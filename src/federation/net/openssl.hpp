// OpenSSL's types as objects that free themselves. Only for the files that call OpenSSL directly.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace dovetail::federation {

template <auto Free>
struct FreeBy {
  template <typename T>
  void operator()(T* thing) const {
    Free(thing);
  }
};

using X509Certificate = std::unique_ptr<X509, FreeBy<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreeBy<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;

// The last thing that went wrong, in OpenSSL's words.
inline std::string openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  char text[256] = "no reason is given";
  if (code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return text;
}

}  // namespace dovetail::federation
