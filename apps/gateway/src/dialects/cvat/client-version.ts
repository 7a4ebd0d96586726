/** Maximum number of characters of `User-Agent` to search. */
const longest = 200

interface Version {
  major: number
  minor: number
}

/** Assumed version of clients that do not state one. */
const usual: Version = { major: 2, minor: 58 }

/**
 * Returns whether the SDK in `User-Agent` (`cvat_sdk/2.80.0`) has this version or a newer one. Some responses changed
 * after 2.58.
 */
export function isAtLeast(userAgent: string, major: number, minor: number): boolean {
  return !isBefore(sdkVersion(userAgent) ?? usual, { major, minor })
}

/** Does `User-Agent` name an SDK that is older than this version? */
export function isSdkBefore(userAgent: string, major: number, minor: number): boolean {
  const version = sdkVersion(userAgent)
  return version !== undefined && isBefore(version, { major, minor })
}

function isBefore(one: Version, other: Version): boolean {
  return one.major < other.major || (one.major === other.major && one.minor < other.minor)
}

function sdkVersion(userAgent: string): Version | undefined {
  const named = /cvat_sdk\/(\d{1,4})\.(\d{1,4})/.exec(userAgent.slice(0, longest))
  return named ? { major: Number(named[1]), minor: Number(named[2]) } : undefined
}
