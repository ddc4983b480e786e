import CMediaCacheCurl

/// An easy handle of libcurl, which runs one transfer at a time, with the lists that its options refer to. Used by one
/// thread.
final class CurlHandle {
    let pointer: UnsafeMutableRawPointer
    /// The lists to release after the transfer.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    init?() {
        guard CurlLibrary.isReady, let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
        releaseLists()
    }

    /// Removes all options, so that the handle can serve another transfer.
    func reset() {
        mc_curl_set_list(pointer, CURLOPT_RESOLVE, nil)
        curl_easy_reset(pointer)
        releaseLists()
    }

    private func releaseLists() {
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }

    func set(_ option: CURLoption, _ value: Int) { mc_curl_set_long(pointer, option, value) }

    func set(_ option: CURLoption, _ value: String?) { mc_curl_set_text(pointer, option, value) }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) { mc_curl_set_pointer(pointer, option, value) }

    func set(_ option: CURLoption, _ values: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values { list = curl_slist_append(list, value) }
        if let list { lists.append(list) }
        mc_curl_set_list(pointer, option, list)
    }

    func set(_ option: CURLoption, _ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { bytes in
            // libcurl copies the bytes and changes nothing.
            mc_curl_set_blob(pointer, option, UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count)
        }
    }
}
