import { changeKinds, countOf, type ObjectChange } from './changes.ts'

const deeds = ['created', 'updated', 'deleted'] as const

/** Renders a table of the numbers of changed objects by kind. */
export function ChangeCounts({ changes }: { changes: readonly ObjectChange[] }) {
  return (
    <table className="counts" aria-label="Changes by kind">
      <thead>
        <tr>
          <th scope="col">Kind</th>
          {deeds.map((did) => (
            <th key={did} scope="col">
              {did}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changeKinds.map((kind) => (
          <tr key={kind}>
            <th scope="row">{kind}</th>
            {deeds.map((did) => (
              <td key={did}>{countOf(changes, kind, did).toLocaleString()}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
