/// The answer of `POST /api/v1/gets`: by what to ask for its progress.
public struct GetReference: Codable, Sendable, Hashable {
    /// The job's name, for `GET` and `DELETE /api/v1/gets/<id>`.
    public var id: String

    /// Creates a reference.
    public init(id: String) {
        self.id = id
    }
}
