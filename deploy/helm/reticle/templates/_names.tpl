{{- define "reticle.chart" -}}
{{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Prefix of every name, short enough for the longest name to fit in 63 characters. */}}
{{- define "reticle.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $whole := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{ .Values.fullnameOverride | default $whole | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Labels that select the pods of one process. Arguments: root, name */}}
{{- define "reticle.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* Arguments: root, name */}}
{{- define "reticle.labels" -}}
{{ include "reticle.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ include "reticle.chart" .root }}
{{- end }}

{{/* By digest if configured, because a tag may be moved. Arguments: root, image */}}
{{- define "reticle.image" -}}
{{- $image := .root.Values.image -}}
{{- $name := printf "%s%s" $image.prefix .image -}}
{{- $path := empty $image.registry | ternary $name (printf "%s/%s" $image.registry $name) -}}
{{- $digest := get $image.digests .image -}}
{{- if $digest }}{{ $path }}@{{ $digest }}{{ else }}{{ $path }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The secret with the keys of the installation and the first administrator's password. */}}
{{- define "reticle.keysSecret" -}}
{{ .Values.keys.existingSecret | default (printf "%s-keys" (include "reticle.fullname" .)) }}
{{- end }}
