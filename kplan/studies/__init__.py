"""Questions that ask the pipeline and turn its outcomes into documents (see ``result.document``)."""
