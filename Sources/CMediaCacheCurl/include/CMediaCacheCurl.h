#ifndef CMEDIACACHECURL_H
#define CMEDIACACHECURL_H

#include <curl/curl.h>

// Swift can't call variadic functions, so the functions below wrap those of libcurl, one for each type of argument.

/// CURLAUTH_BASIC, a macro that Swift can't import.
static const long mc_curl_auth_basic = CURLAUTH_BASIC;

static inline CURLcode mc_curl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode mc_curl_set_size(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode mc_curl_set_text(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode mc_curl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode mc_curl_set_list(CURL *_Nonnull handle, CURLoption option,
                                        struct curl_slist *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode mc_curl_set_blob(CURL *_Nonnull handle, CURLoption option, void *_Nonnull bytes, size_t length) {
  struct curl_blob blob = {bytes, length, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

typedef size_t (*mc_curl_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

static inline CURLcode mc_curl_set_data_callback(CURL *_Nonnull handle, CURLoption option,
                                                 mc_curl_data_callback _Nonnull callback) {
  return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode mc_curl_set_seek(CURL *_Nonnull handle, curl_seek_callback _Nonnull callback) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode mc_curl_set_open_socket(CURL *_Nonnull handle, curl_opensocket_callback _Nonnull callback) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode mc_curl_set_before_request(CURL *_Nonnull handle, curl_prereq_callback _Nonnull callback) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

static inline long mc_curl_get_long(CURL *_Nonnull handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline curl_off_t mc_curl_get_size(CURL *_Nonnull handle, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline char *_Nullable mc_curl_get_text(CURL *_Nonnull handle, CURLINFO info) {
  char *value = NULL;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

/// Sets the functions that libcurl calls when the events to wait for on a socket change, and when the timeout of the
/// multi handle changes.
static inline void mc_curl_multi_set_callbacks(CURLM *_Nonnull multi, curl_socket_callback _Nonnull socket_changed,
                                               curl_multi_timer_callback _Nonnull timer_changed,
                                               void *_Nonnull context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_changed);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

static inline CURLMcode mc_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Returns the next finished transfer and its result; NULL if there is none.
static inline CURL *_Nullable mc_curl_next_finished(CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

/// Returns a new socket for an address that libcurl is about to connect to; CURL_SOCKET_BAD on failure.
curl_socket_t mc_curl_open_socket(const struct curl_sockaddr *_Nonnull address);

/// Copies an IPv4 or IPv6 address in network order to `bytes`, which has 16 bytes. Returns its length, 4 or 16; 0 for
/// another kind of address.
int mc_curl_address_bytes(const struct curl_sockaddr *_Nonnull address, unsigned char *_Nonnull bytes);

#endif
