import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import type { PartHealth } from './checks.ts'
import { useChecks } from './use-checks.ts'

/** Renders a table of health checks; administrators also see the time and the reason of a failure. */
export function HealthTable({ hasDetails }: { hasDetails: boolean }) {
  const { data, error, refetch } = useChecks(hasDetails)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <table className="figures" aria-labelledby="health">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">State</th>
          {hasDetails && (
            <th scope="col" className="number">
              Took
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data.map((check) => (
          <tr key={check.name}>
            <td>{check.name}</td>
            <td>
              <State check={check} />
            </td>
            {hasDetails && <td className="number">{check.took_ms} ms</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function State({ check: { isWell, reason } }: { check: PartHealth }) {
  if (isWell) return <span className="works">works</span>
  return (
    <>
      <span className="fails">fails</span> {reason}
    </>
  )
}
