import type { Format } from '@reticle/sdk'
import { useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Field } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Loading } from '../../ui/loading.tsx'
import { calls, type TransferTarget } from './calls.ts'
import { type FollowedRequest, useFollowedRequest } from './followed-request.ts'
import { FormatChoice } from './format-choice.tsx'
import { useFormats } from './formats.ts'
import { LossTable } from './loss-table.tsx'
import { Progress } from './progress.tsx'

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
        <input type="checkbox" name="images" /> With the images
      </label>
      <Field
        label="File name"
        name="filename"
        maxLength={255}
        placeholder={`${target.kind}_${target.id}.zip`}
        hint="The service finds one where it is left empty."
      />
      <button type="submit" className="primary" disabled={work.isBusy}>
        Export
      </button>
    </form>
  )
}
