/** Something is on its way; told after a moment, so that what comes at once does not flicker. */
export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  )
}
