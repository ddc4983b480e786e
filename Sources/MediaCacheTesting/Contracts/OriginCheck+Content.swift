import HTTPTypes
import MediaCache

extension OriginCheck {
    func headAndBody() async throws {
        let body = ScriptedBody.random(seed: 1, length: 300_000)
        let url = try serve(
            ScriptedResource(body, entityTag: "\"v1\"", contentType: "video/mp2t", cacheControl: "max-age=60"))
        let response = try await send(url)
        try expect(response.status == 200, "expected 200, got \(response.status)")
        for (name, value) in [
            (HTTPField.Name.eTag, "\"v1\""), (.contentType, "video/mp2t"), (.cacheControl, "max-age=60"),
            (.contentLength, "300000"),
        ] {
            let field = response.headerFields[name] ?? "nothing"
            try expect(field == value, "expected \(value) in \(name), got \(field)")
        }
        let bytes = try await readAll(response.body)
        try expect(
            bytes.count == 300_000 && body.matches(bytes), "the \(bytes.count) received bytes differ from those sent")
    }

    func request() async throws {
        let mayEncode = contract.allowances.contains(.encodesTargets)
        let target =
            mayEncode
            ? "/a%2Fb/c%20d//e?q=%20+&sig=a%2B/b==&r=~x"
            : "/a%2Fb/../c%20d/%zz//e|f?q=%20+&sig=a%2B/b==&r=[1]"
        let url = try serve(ScriptedResource(.text("x")), at: target)
        let fields: HTTPFields = [
            .range: "bytes=0-", .ifRange: "\"1\"", .acceptEncoding: "identity", .cookie: "a=b", .referer: "http://x/",
        ]
        _ = try await readAll(send(url, fields).body)
        try expect(script.requests.count == 1, "expected one request, got \(script.requests.count)")
        let request = script.requests[0]
        try expect(request.url.target == target, "expected the target \(target), got \(request.url.target)")
        for field in fields {
            let sent = request.headerFields[field.name] ?? "nothing"
            try expect(sent == field.value, "expected \(field.value) in \(field.name), got \(sent)")
        }
        let own = request.headerFields.filter { fields[$0.name] == nil }.map(\.name.canonicalName)
        let added = own.filter { !["connection", "user-agent", "accept", "accept-language"].contains($0) }
        try expect(added.isEmpty, "fields were added: \(added)")
        if mayEncode { try await encodedTargets() }
    }

    func content() async throws {
        let url = try serve(ScriptedResource(.text("x")))
        let contents: [(HTTPRequest.Method, [UInt8]?)] = [
            (.put, (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }), (.post, Array("{}".utf8)), (.post, []),
            (.delete, nil),
        ]
        for (index, (method, content)) in contents.enumerated() {
            var request = OriginRequest(url: url, headerFields: [.contentType: "application/json"])
            request.method = method
            request.content = content.map(RequestContent.init)
            let response = try await contract.origin.send(request)
            try expect(response.status == 200, "\(method): expected the status 200, got \(response.status)")
            let received = try await readAll(response.body)
            try expect(received == Array("x".utf8), "\(method): wrong bytes in the response body")
            let sent = script.requests[index]
            try expect(sent.method == method, "expected the method \(method), got \(sent.method)")
            try expect(
                sent.content == content ?? [],
                "\(method): the \(sent.content.count) bytes of content sent differ from those of the request")
            let type = sent.headerFields[.contentType] ?? "nothing"
            try expect(type == "application/json", "\(method): expected the content type, got \(type)")
        }
    }

    /// Checks targets that URL parsers reject or normalize. The transport must send each unchanged or percent-encoded,
    /// or reject one that has no percent-encoded form with `invalidURL`.
    private func encodedTargets() async throws {
        for (target, encoded) in [("/b|c?d=[1]^", "/b%7Cc?d=%5B1%5D%5E"), ("/a/../b", nil), ("/%zz", nil)] {
            let (before, url) = (script.requests.count, try serve(ScriptedResource(.text("x")), at: target))
            if let encoded { _ = try serve(ScriptedResource(.text("x")), at: encoded) }
            do {
                _ = try await readAll(send(url).body)
            } catch let error as CacheError where error.code == .invalidURL && encoded == nil {
                try expect(script.requests.count == before, "\(target) was rejected, but also sent")
                continue
            }
            let sent = script.requests.last?.url.target ?? "nothing"
            let expected = encoded.map { "\(target) or \($0)" } ?? target
            try expect(sent == target || sent == encoded, "expected the target \(expected), got \(sent)")
        }
    }

    func ranges() async throws {
        let length: Int64 = 5 << 30
        let body = ScriptedBody.random(seed: 2, length: length)
        let url = try serve(ScriptedResource(body))
        for range in [0..<1, 65_000..<200_000, 4_500_000_000..<4_500_100_000, length - 10..<length] {
            let response = try await send(url, [.range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
            try expect(response.status == 206, "expected 206, got \(response.status)")
            let field = response.headerFields[.contentRange] ?? "nothing"
            let expected = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
            try expect(field == expected, "expected Content-Range \(expected), got \(field)")
            let bytes = try await readAll(response.body)
            try expect(bytes.count == range.count, "expected \(range.count) bytes, got \(bytes.count)")
            try expect(body.matches(bytes, at: range.lowerBound), "wrong bytes in \(range)")
        }
    }

    func redirect() async throws {
        let url = try serve(ScriptedResource(.text("x")))
        script.always(url, .redirect(to: "/elsewhere", status: 302))
        let response = try await send(url)
        _ = try await readAll(response.body)
        try expect(response.status == 302, "expected 302, got \(response.status)")
        let location = response.headerFields[.location] ?? "nothing"
        try expect(location == "/elsewhere", "expected the Location as sent, got \(location)")
        try expect(script.requests.count == 1, "the redirect was followed")
    }

    func coding() async throws {
        let body = ScriptedBody.random(seed: 3, length: 5000)
        let url = try serve(ScriptedResource(body))
        script.always(url, .contentEncoding("gzip"))
        let mayDecode = contract.allowances.contains(.decodesContent)
        do {
            let response = try await send(url, [.range: "bytes=100-1099"])
            try expect(response.headerFields[.contentEncoding] == "gzip", "Content-Encoding was removed")
            let bytes = try await readAll(response.body)
            try expect(bytes.count == 1000 && body.matches(bytes, at: 100), "the content was changed")
        } catch let error as CacheError where error.code == .badResponse && mayDecode {
            // A transport that decodes content can't return part of it.
        }
        let whole = try serve(ScriptedResource(.bytes(Self.coded)), at: "/coded.m3u8")
        script.always(whole, .contentEncoding("gzip"))
        let response = try await send(whole)
        let bytes = try await readAll(response.body)
        let isCoded = response.headerFields[.contentEncoding] == "gzip"
        try expect(isCoded || mayDecode, "Content-Encoding was removed")
        try expect(
            bytes == (isCoded ? Self.coded : Array("the decoded body".utf8)),
            "the body doesn't match Content-Encoding \(isCoded ? "gzip" : "identity")")
        let length = response.headerFields[.contentLength] ?? "\(bytes.count)"
        try expect(length == "\(bytes.count)", "Content-Length is \(length) for \(bytes.count) bytes")
    }

    /// The text “the decoded body” in gzip format (RFC 1952).
    private static let coded: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 43, 201, 72, 85, 72, 73, 77, 206, 79, 73, 77, 81, 72, 202, 79, 169, 4, 0, 240,
        112, 225, 71, 16, 0, 0, 0,
    ]

    func errorStatus() async throws {
        let url = try serve(ScriptedResource(.text("x")))
        for status in [401, 403, 404, 410, 416, 429, 500, 503] {
            script.next(url, .status(status, retryAfter: "7"))
            let response = try await send(url)
            try expect(response.status == status, "expected \(status), got \(response.status)")
            try expect(response.headerFields[.retryAfter] == "7", "Retry-After of a \(status) was lost")
            _ = try await readAll(response.body)
        }
    }

    func emptyBodies() async throws {
        let url = try serve(ScriptedResource(.bytes([]), entityTag: "\"e\""))
        var response = try await send(url)
        try expect(response.status == 200, "expected 200, got \(response.status)")
        try expect(try await readAll(response.body).isEmpty, "expected no bytes in an empty body")
        response = try await send(url, [.ifNoneMatch: "\"e\""])
        try expect(response.status == 304, "expected 304, got \(response.status)")
        try expect(try await readAll(response.body).isEmpty, "expected no bytes in a 304")
        response = try await send(url)
        try expect(response.status == 200, "expected 200 after the 304, got \(response.status)")
    }

    func end() async throws {
        let url = try serve(ScriptedResource(.text("abc")))
        let response = try await send(url)
        try expect(try await readAll(response.body) == Array("abc".utf8), "wrong bytes")
        try expect(try await next(response.body) == nil, "expected no buffer after the end")
    }

    func closeDelimited() async throws {
        let body = ScriptedBody.random(seed: 4, length: 200_000)
        let url = try serve(ScriptedResource(body))
        script.next(url, .closeDelimited())
        let response = try await send(url)
        try expect(response.headerFields[.contentLength] == nil, "expected no Content-Length, since none was sent")
        let bytes = try await readAll(response.body)
        try expect(
            bytes.count == 200_000 && body.matches(bytes), "the \(bytes.count) received bytes differ from those sent")
    }

    func scope() async throws {
        var resource = ScriptedResource(.text("x"))
        resource.peer = .local
        let url = try serve(resource)
        try await expectFailure(.forbiddenAddress) { _ = try await send(url, scope: .publicOnly) }
        try expect(script.requests.isEmpty, "the request was sent")
        let response = try await send(url, scope: .any)
        try expect(response.status == 200, "expected 200 with scope any, got \(response.status)")
    }

    func peer() async throws {
        var resource = ScriptedResource(.text("x"))
        resource.peer = .local
        let url = try serve(resource)
        for _ in 0..<2 {
            let response = try await send(url)
            try expect(response.peer == .local, "expected a local peer, got \(response.peer)")
            _ = try await readAll(response.body)
        }
    }
}
