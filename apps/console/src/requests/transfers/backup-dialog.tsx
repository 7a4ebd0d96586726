import { Dialog } from '../../ui/dialog.tsx'
import { formText } from '../../ui/form-text.ts'
import { backups } from './calls.ts'
import { useFollowedRequest } from './followed-request.ts'
import { Progress } from './progress.tsx'

interface Props {
  kind: 'project' | 'task'
  id: number
  name: string
  onClose: () => void
}

/** Renders a dialog to export a backup of a project or task. */
export function BackupDialog({ kind, id, name, onClose }: Props) {
  const work = useFollowedRequest()
  return (
    <Dialog title={`Back up ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const lightweight = formText(new FormData(event.currentTarget), 'size') === 'light'
          work.begin(({ signal }) => backups[kind].make({ id, lightweight }, { signal }))
        }}
      >
        <p>Annotations, labels, jobs and settings come with it, and the media:</p>
        <fieldset className="options">
          <legend>Media in buckets</legend>
          <label>
            <input type="radio" name="size" value="full" defaultChecked /> Full{' '}
            <span className="hint">it comes into the archive as well</span>
          </label>
          <label>
            <input type="radio" name="size" value="light" /> Light{' '}
            <span className="hint">it stays where it is, and is looked for there</span>
          </label>
        </fieldset>
        <button type="submit" className="primary" disabled={work.isBusy}>
          Back up
        </button>
      </form>
      <Progress work={work} />
    </Dialog>
  )
}
