/** Shows the status code of a receiver, "no answer" for a failed connection, and a dash before the first delivery. */
export function StatusCode({ status }: { status: number | null | undefined }) {
  if (status === undefined) return <>–</>
  if (status === null) return <span className="wrong">no answer</span>
  const isGood = status >= 200 && status < 300
  return <span className={isGood ? 'good' : 'wrong'}>{status === 0 ? 'no answer' : status}</span>
}
