/** Maximum number of characters of `User-Agent` to search. */
const longest = 200

/** Assumed version of clients that do not state one. */
const usual = { major: 2, minor: 58 }

/**
 * Returns whether the SDK in `User-Agent` (`cvat_sdk/2.80.0`) has this version or a newer one. Some responses changed
 * after 2.58.
 */
export function isAtLeast(userAgent: string, major: number, minor: number): boolean {
  const named = /cvat_sdk\/(\d{1,4})\.(\d{1,4})/.exec(userAgent.slice(0, longest))
  const version = named ? { major: Number(named[1]), minor: Number(named[2]) } : usual
  return version.major > major || (version.major === major && version.minor >= minor)
}
