/** Renders a loading indicator, shown after a short delay to avoid flicker. */
export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  )
}
