module countersign

go 1.26
