import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { calls, type TransferTarget } from './calls.ts'
import { absentText, featureTexts, type LossRow, lossRows, lossText } from './losses.ts'

/** Renders a table of what an export in a format would lose. */
export function LossTable({
  target: { kind, id },
  format,
}: {
  target: TransferTarget
  format: string
}) {
  const losses = useAnswer(api.listFormatLosses, {})
  const statistics = useAnswer(calls[kind].statistics, { id })
  const ofFormat = losses.data?.formats.find(({ name }) => name === format)
  if (!ofFormat || !statistics.data) return null
  const rows = lossRows(ofFormat, statistics.data)
  const present = rows.filter(({ count }) => count > 0)
  const absent = absentText(rows)
  const features = featureTexts(ofFormat.features)
  return (
    <section className="losses" aria-label="What would be lost">
      <p role="status">{lossText(rows)}</p>
      {present.length > 0 && <Present rows={present} format={format} />}
      {absent && <p className="hint">Not here, but {absent}.</p>}
      {features.length > 0 && <p className="hint">Of what is written: {features.join(', ')}.</p>}
    </section>
  )
}

function Present({ rows, format }: { rows: readonly LossRow[]; format: string }) {
  return (
    <table aria-label={`What becomes of objects in ${format}`}>
      <thead>
        <tr>
          <th scope="col">Objects</th>
          <th scope="col" className="number">
            Here
          </th>
          <th scope="col">Become</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ kind, count, fate }) => (
          <tr key={kind}>
            <th scope="row">{kind}</th>
            <td className="number">{count}</td>
            <td className={`fate ${fate}`}>{fate}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
