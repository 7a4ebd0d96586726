import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'

const number = new Intl.NumberFormat()

/** Renders a table of the effective limits, with the names of the API. */
export function LimitTable() {
  const { data, error, refetch } = useAnswer(api.getLimits, {})
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <table className="figures" aria-labelledby="limits">
      <tbody>
        {Object.entries(data).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name.replaceAll('_', ' ')}</th>
            <td className="number">{number.format(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
