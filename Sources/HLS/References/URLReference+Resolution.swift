extension URLReference {
    /// Resolves one text against another, as RFC 3986, section 5.2, prescribes.
    ///
    /// - Parameters:
    ///   - reference: a reference of any form.
    ///   - base: an absolute URL; when it has no scheme, the result may have none.
    /// - Returns: the target; `reference` itself when it is absolute.
    public static func resolve(_ reference: String, against base: String) -> String {
        URLReference(reference).resolved(against: URLReference(base)).description
    }

    /// The target of the reference, seen from a base (RFC 3986, section 5.2.2, strict).
    public func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil {
            // Dot segments of an absolute reference go too, but only where a path has a root: `urn:a/../b` is opaque.
            if authority != nil || path.utf8.first == .slash { target.path = URLReference.removingDotSegments(path) }
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = URLReference.removingDotSegments(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == .slash {
            target.path = URLReference.removingDotSegments(path)
        } else {
            target.path = URLReference.removingDotSegments(base.merged(with: path))
        }
        return target
    }

    /// The base's path up to its last slash, then the reference's (RFC 3986, section 5.2.3).
    private func merged(with reference: String) -> String {
        if authority != nil, path.isEmpty { return "/" + reference }
        guard let slash = path.utf8.lastIndex(of: .slash) else { return reference }
        return String(path[...slash]) + reference
    }

    /// RFC 3986, section 5.2.4, on bytes.
    static func removingDotSegments(_ path: String) -> String {
        let input = Array(path.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var index = 0
        while index < input.count {
            let isRooted = input[index] == .slash
            let start = isRooted ? index + 1 : index
            let end = input[start...].firstIndex(of: .slash) ?? input.count
            let segment = input[start..<end]
            let isLast = end == input.count
            if segment.elementsEqual([.dot, .dot]) {
                if isRooted { removeLastSegment(&output) }
                if isLast, isRooted { output.append(.slash) }
            } else if segment.elementsEqual([.dot]) {
                if isLast, isRooted { output.append(.slash) }
            } else {
                output.append(contentsOf: input[index..<end])
            }
            // A leading `./` or `../` loses its slash with it (rule A).
            index = !isRooted && !isLast && isDots(segment) ? end + 1 : end
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.elementsEqual([.dot]) || segment.elementsEqual([.dot, .dot])
    }

    private static func removeLastSegment(_ output: inout [UInt8]) {
        while let last = output.popLast(), last != .slash {}
    }
}
