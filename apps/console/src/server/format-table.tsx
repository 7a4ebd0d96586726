import type { Format } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'

/** Renders a table of the supported formats, for import and export. */
export function FormatTable() {
  const { data, error, refetch } = useAnswer(api.listFormats, {})
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const names = (all: Format[]) =>
    new Set(all.filter(({ enabled }) => enabled).map(({ name }) => name))
  const [read, written] = [names(data.importers), names(data.exporters)]
  const all = new Map([...data.importers, ...data.exporters].map((one) => [one.name, one]))
  return (
    <table className="figures" aria-labelledby="formats">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className="short">
            Import
          </th>
          <th scope="col" className="short">
            Export
          </th>
          <th scope="col" className="short extra">
            Files
          </th>
          <th scope="col" className="extra">
            Holds
          </th>
        </tr>
      </thead>
      <tbody>
        {[...all.values()].map(({ name, ext, kinds }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{read.has(name) ? 'yes' : '–'}</td>
            <td>{written.has(name) ? 'yes' : '–'}</td>
            <td className="extra">{ext}</td>
            <td className="extra">{kinds.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
