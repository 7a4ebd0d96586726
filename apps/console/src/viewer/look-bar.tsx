import type { ViewerSettings } from './settings.ts'

/** Renders the controls for the appearance of the frame. */
export function LookBar({ settings, onHelp }: { settings: ViewerSettings; onHelp: () => void }) {
  const { pen, quality } = settings
  return (
    <div className="look-bar">
      <label>
        Opacity{' '}
        <input
          type="range"
          min="0"
          max="100"
          step="5"
          value={Math.round(pen.opacity * 100)}
          onChange={({ target }) => settings.setOpacity(target.valueAsNumber / 100)}
        />
      </label>
      <label>
        <input type="checkbox" checked={pen.isOutlined} onChange={settings.toggleOutlines} />{' '}
        Outlines
      </label>
      <label>
        <input
          type="checkbox"
          checked={quality === 'original'}
          onChange={({ target }) => settings.setQuality(target.checked ? 'original' : 'compressed')}
        />{' '}
        Original
      </label>
      <button type="button" aria-label="Keys" title="Keys (?)" onClick={onHelp}>
        ?
      </button>
    </div>
  )
}
