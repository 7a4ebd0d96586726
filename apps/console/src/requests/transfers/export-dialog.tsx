import type { Format } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/feedback.tsx'
import { Field, formText } from '../../ui/form.tsx'
import { calls, type TransferTarget, useFormats } from './calls.ts'
import { type FollowedRequest, Progress, useFollowedRequest } from './followed-request.tsx'
import { FormatChoice } from './format-choice.tsx'
import { absentText, featureTexts, type LossRow, lossRows, lossText } from './losses.ts'

/** Renders a dialog to export annotations, which shows what the format would lose. */
export function ExportDialog({ target, onClose }: { target: TransferTarget; onClose: () => void }) {
  const { exporters, error } = useFormats(target)
  const work = useFollowedRequest()
  return (
    <Dialog title={`Export ${target.name}`} onClose={onClose}>
      {error && <Failure error={error} />}
      {!exporters && !error && <Loading />}
      {exporters && <ExportForm target={target} formats={exporters} work={work} />}
      <Progress work={work} />
    </Dialog>
  )
}

interface FormProps {
  target: TransferTarget
  formats: readonly Format[]
  work: FollowedRequest
}

function ExportForm({ target, formats, work }: FormProps) {
  const [format, setFormat] = useState(formats[0]?.name ?? '')
  const start = (form: FormData) => {
    const filename = formText(form, 'filename').trim() || undefined
    const save_images = form.has('images')
    const input = { id: target.id, format, filename, save_images }
    work.begin(({ signal }) => calls[target.kind].export(input, { signal }))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        start(new FormData(event.currentTarget))
      }}
    >
      <FormatChoice formats={formats} value={format} onChange={setFormat} />
      <LossTable target={target} format={format} />
      <label>
        <input type="checkbox" name="images" /> Include images
      </label>
      <Field
        label="File name"
        name="filename"
        maxLength={255}
        placeholder={`${target.kind}_${target.id}.zip`}
        hint="If empty, the server chooses a name."
      />
      <button type="submit" className="primary" disabled={work.isBusy}>
        Export
      </button>
    </form>
  )
}

/** Renders a table of what an export in a format would lose. */
function LossTable({ target: { kind, id }, format }: { target: TransferTarget; format: string }) {
  const losses = useAnswer(api.listFormatLosses, {})
  const statistics = useAnswer(calls[kind].statistics, { id })
  const ofFormat = losses.data?.formats.find(({ name }) => name === format)
  if (!ofFormat || !statistics.data) return null
  const rows = lossRows(ofFormat, statistics.data)
  const present = rows.filter(({ count }) => count > 0)
  const absent = absentText(rows)
  const features = featureTexts(ofFormat.features)
  return (
    <section className="losses" aria-label="Losses">
      <p role="status">{lossText(rows)}</p>
      {present.length > 0 && <LossRows rows={present} format={format} />}
      {absent && <p className="hint">Kinds without objects here: {absent}.</p>}
      {features.length > 0 && (
        <p className="hint">Properties of the exported objects: {features.join(', ')}.</p>
      )}
    </section>
  )
}

function LossRows({ rows, format }: { rows: readonly LossRow[]; format: string }) {
  return (
    <table aria-label={`Conversion of objects to ${format}`}>
      <thead>
        <tr>
          <th scope="col">Objects</th>
          <th scope="col" className="number">
            Count
          </th>
          <th scope="col">Result</th>
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
