import HLS

/// Shows a playlist's references: resolved where it's known against what, else as they are written.
struct ReferenceResolver: Sendable {
    private let base: URLReference?

    /// A resolver against `base`, an absolute URL.
    init(base: String?) {
        self.base = base.map { URLReference($0) }
    }

    /// A reference as it's shown; nil for none. An empty one would resolve to the playlist itself, and is none.
    func callAsFunction(_ reference: String?) -> String? {
        guard let reference, !reference.isEmpty else { return nil }
        guard let base else { return reference }
        return URLReference(reference).resolved(against: base).description
    }
}
