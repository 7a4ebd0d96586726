import type { Format } from '@reticle/sdk'
import { useState } from 'react'
import { sharedUploadStore } from '../../api/upload-store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DropFile } from '../../ui/drop.tsx'
import { Failure, Loading } from '../../ui/feedback.tsx'
import { formText } from '../../ui/form.tsx'
import { calls, type TransferTarget, useFormats } from './calls.ts'
import { type FollowedRequest, Progress, useFollowedRequest } from './followed-request.tsx'
import { FormatChoice } from './format-choice.tsx'
import { guessFormat } from './guess-format.ts'

/** Renders a dialog to import annotations from a file; in a project also new tasks with their images. */
export function ImportDialog({ target, onClose }: { target: TransferTarget; onClose: () => void }) {
  const { importers, error } = useFormats(target)
  return (
    <Dialog title={`Import into ${target.name}`} onClose={onClose}>
      {error && <Failure error={error} />}
      {!importers && !error && <Loading />}
      {importers && <Import target={target} formats={importers} />}
    </Dialog>
  )
}

function Import({ target, formats }: { target: TransferTarget; formats: readonly Format[] }) {
  const work = useFollowedRequest()
  const [isDry, setIsDry] = useState(false)
  const done = isDry
    ? 'This was a dry run: nothing was written. An import would have this result:'
    : 'The import is finished.'
  return (
    <>
      {target.kind === 'project' && (
        <p className="hint">A dataset with images creates new tasks, one for each subset.</p>
      )}
      <ImportForm target={target} formats={formats} work={work} onStart={setIsDry} />
      <Progress work={work} done={done} />
    </>
  )
}

interface ImportFormProps {
  target: TransferTarget
  formats: readonly Format[]
  work: FollowedRequest
  onStart: (isDry: boolean) => void
}

/** Renders a form for an import; a dry run shows the result without changing anything. */
function ImportForm({ target: { kind, id }, formats, work, onStart }: ImportFormProps) {
  const [file, setFile] = useState<File>()
  const [format, setFormat] = useState('')
  const chosen = formats.find(({ name }) => name === format)
  const isTried = work.request?.status === 'finished'
  const start = (form: FormData, isDry: boolean) => {
    if (!file) return
    onStart(isDry)
    const input = { id, format, dry_run: isDry, ...optionsOf(form, chosen) }
    const sent = { store: sharedUploadStore }
    work.begin((options) => calls[kind].import(input, file, { ...sent, ...options }))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const { submitter } = event.nativeEvent
        start(new FormData(event.currentTarget), submitter?.dataset.run === 'dry')
      }}
    >
      <DropFile
        label="File"
        accept={extensionsOf(formats)}
        file={file}
        onFile={(given) => {
          setFile(given)
          const guess = guessFormat(given.name, formats)
          if (guess) setFormat(guess.name)
        }}
      />
      <FormatChoice formats={formats} value={format} onChange={setFormat} />
      {kind !== 'project' && <ImportMode />}
      {chosen?.options.some(({ name }) => name === maskOption) && (
        <label>
          <input type="checkbox" name={maskOption} defaultChecked={maskDefault(chosen)} /> Convert
          masks to polygons
        </label>
      )}
      <div className="actions">
        <button
          type="submit"
          className={isTried ? undefined : 'primary'}
          data-run="dry"
          disabled={!file || !format || work.isBusy}
        >
          Dry run
        </button>
        <button
          type="submit"
          className={isTried ? 'primary' : undefined}
          disabled={!file || !format || work.isBusy}
        >
          Import
        </button>
      </div>
    </form>
  )
}

const maskOption = 'conv_mask_to_poly'

const maskDefault = ({ options }: Format) =>
  options.find(({ name }) => name === maskOption)?.default === true

function optionsOf(form: FormData, format: Format | undefined) {
  const hasMasks = format?.options.some(({ name }) => name === maskOption)
  const import_mode = formText(form, 'mode') || undefined
  return { import_mode, ...(hasMasks && { [maskOption]: form.has(maskOption) }) }
}

/** Returns extensions for the file dialog: `.zip,.json`. */
function extensionsOf(formats: readonly Format[]): string {
  const all = formats.flatMap(({ ext }) => ext.split(',').map((one) => one.trim().toLowerCase()))
  return [...new Set(all)].map((one) => `.${one}`).join(',')
}

const modes = [
  ['replace', 'Replace', 'existing annotations are deleted; the history keeps them'],
  ['append', 'Append', 'existing annotations are kept'],
  ['merge', 'Merge', 'existing annotations are kept, and equal ones are not added again'],
] as const

/** Renders a field to choose what happens to existing annotations. */
function ImportMode() {
  return (
    <fieldset className="options">
      <legend>Existing annotations</legend>
      {modes.map(([value, name, about], index) => (
        <label key={value}>
          <input type="radio" name="mode" value={value} defaultChecked={index === 0} /> {name}{' '}
          <span className="hint">{about}</span>
        </label>
      ))}
    </fieldset>
  )
}
