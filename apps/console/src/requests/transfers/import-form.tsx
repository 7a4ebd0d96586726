import type { Format } from '@reticle/sdk'
import { useState } from 'react'
import { sharedUploadStore } from '../../api/upload-store.ts'
import { formText } from '../../ui/form-text.ts'
import { calls, type TransferTarget } from './calls.ts'
import { DropFile } from './drop-file.tsx'
import type { FollowedRequest } from './followed-request.ts'
import { FormatChoice } from './format-choice.tsx'
import { guessFormat } from './guess-format.ts'
import { ImportMode } from './import-mode.tsx'

interface Props {
  target: TransferTarget
  formats: readonly Format[]
  work: FollowedRequest
  onStart: (isDry: boolean) => void
}

/** Renders a form for an import; a dry run shows the result without changing anything. */
export function ImportForm({ target: { kind, id }, formats, work, onStart }: Props) {
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
          <input type="checkbox" name={maskOption} defaultChecked={maskDefault(chosen)} /> Masks
          become polygons
        </label>
      )}
      <div className="actions">
        <button
          type="submit"
          className={isTried ? undefined : 'primary'}
          data-run="dry"
          disabled={!file || !format || work.isBusy}
        >
          Try it: a dry run
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
