import Foundation

/// A user of an origin, as the user information of a URL names one (RFC 3986 §3.2.1).
///
/// Its description hides it, so that no log shows it.
package struct Credentials: Sendable, Hashable {
    /// The user's name.
    package let user: String
    /// The password; nil where the URL has none, so that somebody already known may be meant.
    package let password: String?

    /// Reads user information as it stands in a URL.
    package init(userInfo: String) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? String($0) }
        user = parts[0]
        password = parts.count > 1 ? parts[1] : nil
    }

    /// Whose it is that comes by them.
    package var identity: ProfileIdentity { ProfileIdentity(user: user) }

    /// The value of `Authorization` (RFC 7617 §2).
    package var authorization: String {
        "Basic \(Data("\(user):\(password ?? "")".utf8).base64EncodedString())"
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the user or the password.
    package var description: String { "<credentials>" }

    /// Never the user or the password.
    package var debugDescription: String { description }

    /// Never the user or the password.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<(label: String?, value: Any)>()) }
}

extension ResourceURL {
    /// Whom the URL names; nil if nobody.
    package var credentials: Credentials? { userInfo.map(Credentials.init(userInfo:)) }
}
