import MediaCache
import MediaCacheAPI

/// An engine error as a player is told it, before a response's head has been sent.
enum PlayFailure {
    /// The status and the reason for an error.
    static func problem(for error: CacheError) -> Problem {
        // What was a problem already was only wrapped on its way.
        if let problem = error.cause as? Problem { return problem }
        let (status, title) = statusAndTitle(for: error)
        var problem = Problem(title: title, status: status, detail: error.message, code: error.code.rawValue)
        if error.code == .originStatus { problem.originStatus = error.status }
        return problem
    }

    private static func statusAndTitle(for error: CacheError) -> (Int, String) {
        switch error.code {
        case .cancelled: (503, "Cancelled")
        case .invalidURL: (400, "Not a play URL")
        case .invalidSetting: (500, "A setting of the server can't be read")
        case .unreachable: (502, "The origin can't be reached")
        case .forbiddenAddress: (403, "The origin's address may not be asked")
        case .timedOut: (504, "The origin doesn't answer")
        case .originStatus: fromOrigin(error.status)
        case .badResponse: (502, "The origin's answer is wrong")
        case .notMedia: (502, "The origin sent a document instead of media")
        case .representationChanged: (502, "The resource changed while it was read")
        case .rangeNotSatisfiable: (416, "The range lies outside the resource")
        case .notFound: (404, "Not found")
        case .folderOwned: (409, "The cache folder is in use")
        case .newerFormat, .storage, .damaged: (500, "The cache can't be read")
        case .closed: (503, "The cache is closed")
        }
    }

    /// What says something of the resource goes through. 401 doesn't, since it would ask the player for a password
    /// to this server.
    private static func fromOrigin(_ status: Int?) -> (Int, String) {
        switch status {
        case 400: (400, "The origin refuses the request")
        case 403: (403, "The origin refuses the resource")
        case 404: (404, "The origin doesn't have the resource")
        case 410: (410, "The resource is gone from the origin")
        case 429, 503: (503, "The origin is too busy")
        case .some(let status): (502, "The origin answered \(status)")
        case nil: (502, "The origin answered with an error")
        }
    }
}
